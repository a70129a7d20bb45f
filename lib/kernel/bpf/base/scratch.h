/* scratch: memory in which a record with parts is built, before it is copied into the ring with its final size. */
#pragma once

#include "sample.h"

enum {
	PATH_BYTES = 4096,
	NAME_BYTES = 256,
	SCRATCH_AT = 4, /* the record begins here, so that its raw data is aligned */
	/* A power of two: a call has two paths, or a path and a file. */
	SCRATCH_TEXT = 4 * PATH_BYTES,
	SCRATCH_PART = PATH_BYTES + NAME_BYTES, /* maximum size that one step may write */
};

/* One for each CPU. Programs that use it do not interrupt each other, and are not preempted meanwhile. */
struct scratch {
	uint8_t bytes[SCRATCH_TEXT + SCRATCH_PART];
	/* Addresses, for functions that are verified separately: such functions can only take numbers. */
	uint64_t mount, dentry;               /* arguments of is_covered() */
	uint64_t path, top, top_mount, space; /* arguments of write_where() */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPUs */
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * Returns the scratch memory of the CPU. The program stays on the CPU until it gives it back. NULL: there is nothing to give
 * back.
 */
static __always_inline struct scratch *take_scratch(uint32_t *cpu)
{
	struct scratch *scratch;

	stay();
	*cpu = bpf_get_smp_processor_id();
	scratch = bpf_map_lookup_elem(&scratches, cpu);
	if (!scratch)
		let_go();
	return scratch;
}

static __always_inline void give_scratch(void)
{
	let_go();
}

/* The mask changes nothing, but the verifier needs it. */
static __always_inline void *place(struct scratch *scratch, uint32_t at)
{
	uint64_t offset = at;

	asm volatile("" : "+r"(offset));
	return scratch->bytes + (offset & (SCRATCH_TEXT - 1));
}

static __always_inline uint32_t padded(uint32_t at)
{
	return (at + 7) & ~7U;
}

/* Replaces struct bpf_dynptr. */
struct room {
	uint64_t opaque[2];
} __attribute__((aligned(8)));

static long (*const reserve_room)(void *ring, uint32_t size, uint64_t flags,
				  struct room *room) = (void *)BPF_HELPER_RESERVE_DYNPTR;
static void (*const submit_room)(struct room *room,
				 uint64_t flags) = (void *)BPF_HELPER_SUBMIT_DYNPTR;
static void (*const discard_room)(struct room *room,
				  uint64_t flags) = (void *)BPF_HELPER_DISCARD_DYNPTR;
static long (*const write_room)(const struct room *room, uint32_t at, const void *from,
				uint32_t size, uint64_t flags) = (void *)BPF_HELPER_WRITE_DYNPTR;

const volatile bool has_dynptr; /* the kernel has dynptrs: since Linux 5.19 */

/* Copies the record into its space in the ring. Returns 0 if it was copied. */
static __always_inline long put_into_room(void *ring, struct outgoing *out, uint64_t size)
{
	struct room room;

	if (reserve_room(ring, size, 0, &room)) {
		/* Required by the verifier, though no space was reserved. */
		discard_room(&room, BPF_RB_NO_WAKEUP);
		return -1;
	}
	out->head->time = bpf_ktime_get_ns();
	write_room(&room, 0, out->head, size, 0);
	submit_room(&room, wake_flag(out->book, size));
	return 0;
}

/*
 * Copies the record, which ends at `end`, into the ring. Returns false and counts the loss if there is no space. Old kernels
 * reserve and copy in one step, so there the time is taken before.
 */
static __always_inline bool send_scratch(struct scratch *scratch, struct outgoing *out,
					 struct task_struct *task, uint32_t end)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	uint64_t size = SAMPLE_SIZE(end - SCRATCH_AT - RAW_AT);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	long code;

	/* The verifier must see the bound of the size itself, and not of the values that it was computed from. */
	asm volatile("" : "+r"(size));
	out->book = bpf_map_lookup_elem(&books, &cpu);
	out->head = (void *)(scratch->bytes + SCRATCH_AT);
	if (!out->book || size > SCRATCH_TEXT)
		return false;
	if (!ring) {
		note_drop(out->book);
		return false;
	}
	put_head(out->head, task, bpf_ktime_get_ns(), cpu, size);
	code = has_dynptr ? put_into_room(ring, out, size)
			  : bpf_ringbuf_output(ring, out->head, size, wake_flag(out->book, size));
	if (!code)
		return true;
	note_drop(out->book);
	return false;
}
