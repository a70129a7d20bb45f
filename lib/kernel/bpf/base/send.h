/* send: copies a record that was built in scratch memory into the ring. */
#pragma once

#include "sample.h"
#include "scratch.h"

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
