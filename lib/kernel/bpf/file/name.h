/*
 * name: names of files that are kept for user space. Each has a number, from 1; 0 means that there was no room.
 *
 * Names are hashed with 64 bits, which does not confuse a few thousand of them.
 */
#pragma once

#include "bpf/file/way.h"
#include "count/bpf_span_file.h"

/* The numbers of names by their hash. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint64_t);
	__type(value, uint32_t);
} name_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_chunk);
} names SEC(".maps");
uint32_t chunks_used;

/* The memory of a name that is being written. */
struct writing {
	uint64_t hash;
	uint32_t cpu, at, end, first;
};

static long hash_word(TURN(struct writing *name))
{
	uint32_t cpu = name->cpu;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	if (!scratch || name->at >= name->end || TURN_NUMBER >= SCRATCH_PART / 8)
		return 1;
	name->hash = fold(name->hash, *(uint64_t *)place(scratch, name->at));
	name->at += 8;
	return 0;
}

static long copy_chunk(TURN(struct writing *name))
{
	uint32_t cpu = name->cpu, index = name->first + TURN_NUMBER;
	uint32_t from = TURN_NUMBER * BPF_SPAN_CHUNK;
	struct scratch *scratch;
	struct bpf_span_chunk *to;

	if (from >= name->end)
		return 1;
	scratch = bpf_map_lookup_elem(&scratches, &cpu);
	to = bpf_map_lookup_elem(&names, &index);
	if (!scratch || !to)
		return 1;
	bpf_probe_read_kernel(to, sizeof(*to), place(scratch, from));
	return 0;
}

/* Files in memory are on a mount that was never attached, and have a name all the same: see bpf_name.c. */
static __always_inline bool has_no_name(const struct bpf_part_file *part, uint64_t begin)
{
	static const uint64_t memory = 0x3a6466656d6d, segment = 0x56535953; /* "memfd:", "SYSV" */

	if (part->part.flags & BPF_PART_TORN)
		return true;
	return part->part.flags & BPF_PART_DETACHED && (begin & 0xffffffffffff) != memory &&
	       (begin & 0xffffffff) != segment;
}

static __always_inline bool is_named_by_inode(const struct bpf_part_file *part)
{
	return part->magic == 0x50495045 || part->magic == 0x534f434b; /* pipes, sockets */
}

/* The same for all files without a name, and otherwise different for each name. */
static __always_inline uint64_t hash_of_name(struct scratch *scratch, struct writing *name)
{
	struct bpf_part_file *part = place(scratch, 0);

	/* The bytes behind the last name are those of an earlier one. */
	for (int i = 0; i < 8; i++)
		*(uint8_t *)place(scratch, part->part.size + i) = 0;
	if (has_no_name(part, *(uint64_t *)(part + 1))) {
		part->part.flags = BPF_PART_TORN;
		return 1;
	}
	if (part->part.flags & BPF_PART_SPECIAL)
		name->hash = fold(part->magic, is_named_by_inode(part) ? part->ino : 0);
	name->at = sizeof(*part);
	name->end = part->part.size;
	REPEAT(SCRATCH_PART / 8, hash_word, name);
	return name->hash;
}

/* Returns the number of the first of enough chunks, or 0. */
static __always_inline uint32_t new_chunks(uint32_t size)
{
	uint32_t count = (size + BPF_SPAN_CHUNK - 1) / BPF_SPAN_CHUNK, first;

	if (*(volatile uint32_t *)&chunks_used >= spec.chunks)
		return 0;
	first = __sync_fetch_and_add(&chunks_used, count);
	return first + count <= spec.chunks ? first + 1 : 0;
}

/* Returns the number of the name in the scratch memory, which is kept if it is new. inode: its hash if only its inode is known; 0: not. */
static __always_inline uint32_t number_of_name(struct scratch *scratch, uint32_t cpu,
					       uint64_t inode)
{
	struct writing name = {.cpu = cpu};
	struct bpf_part_file *part = place(scratch, 0);
	uint64_t hash = inode ? inode : hash_of_name(scratch, &name);
	uint32_t *known = bpf_map_lookup_elem(&name_index, &hash), new;

	if (known)
		return *known;
	new = new_chunks(part->part.size);
	if (!new)
		return 0;
	name.first = new - 1;
	name.end = part->part.size;
	REPEAT(SCRATCH_PART / BPF_SPAN_CHUNK + 1, copy_chunk, &name);
	/* Another CPU may have written it at the same time. */
	if (bpf_map_update_elem(&name_index, &hash, &new, BPF_NOEXIST)) {
		known = bpf_map_lookup_elem(&name_index, &hash);
		return known ? *known : 0;
	}
	return new;
}
