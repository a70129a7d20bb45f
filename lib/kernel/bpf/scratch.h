/*
 * scratch: where a record is gathered that has parts, before it is copied into the ring as long as it is.
 */
#ifndef BPF_SCRATCH_H
#define BPF_SCRATCH_H

#include "sample.h"

enum {
	PATH_BYTES = 4096,
	NAME_BYTES = 256,
	SCRATCH_AT = 4, /* the record begins there: so its raw data is aligned */
	/* A power of two: a call has two paths, or a path and a file. */
	SCRATCH_TEXT = 4 * PATH_BYTES,
	SCRATCH_PART = PATH_BYTES + NAME_BYTES, /* what one step may write */
};

/* One for each CPU: programs that use it do not interrupt each other. */
struct scratch {
	uint8_t bytes[SCRATCH_TEXT + SCRATCH_PART];
	/* Addresses, for functions that are verified on their own: those take numbers only. */
	uint64_t mount, dentry;               /* what is_covered() is asked about */
	uint64_t path, top, top_mount, space; /* what write_where() is asked about */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPUs */
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* The mask says nothing new, but the verifier wants to see it. */
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

/* Copies the record, which ends at `end`, into the ring. Returns whether it is there; a loss is counted. */
static __always_inline bool send_scratch(struct scratch *scratch, struct outgoing *out,
					 struct task_struct *task, uint64_t time, uint32_t end)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	uint64_t size = SAMPLE_SIZE(end - SCRATCH_AT - RAW_AT);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	out->book = bpf_map_lookup_elem(&books, &cpu);
	out->head = (void *)(scratch->bytes + SCRATCH_AT);
	if (!out->book || size > SCRATCH_TEXT)
		return false;
	if (!ring) {
		note_drop(out->book, time);
		return false;
	}
	put_head(out->head, task, time, cpu, size);
	if (!bpf_ringbuf_output(ring, out->head, size, wake_flag(out->book, size)))
		return true;
	note_drop(out->book, time);
	return false;
}

#endif
