/* scratch: memory in which a record with parts is built, before it is copied into the ring with its final size. */
#pragma once

#include "preempt.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

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
