/*
 * known_file: which fixed files the reader already knows.
 *
 * A fixed file may have no descriptor. The record of the first request that uses it describes it when the request ends; later
 * records contain only its address. The kernel reuses the memory of files and inodes, so files are described again after a fixed
 * file may have been removed.
 */
#pragma once

#include "bpf/base/vfs.h"
#include "opening.h"

enum {
	KNOWN_FILES = 4096,
	FILE_BITS = 7, /* the low bits of an address, where the kernel keeps flags of the file */
};

struct known_file_key {
	uint64_t ring, file;
};

struct known_file {
	uint64_t inode, number, changes;
	uint32_t process; /* names are as this process sees them, from its root */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KNOWN_FILES);
	__type(key, struct known_file_key);
	__type(value, struct known_file);
} known_files SEC(".maps");

uint64_t fixed_changes; /* how often a fixed file may have been removed */

/* Returns whether the request may remove a fixed file. It does not if the kernel chooses a free slot. */
static __always_inline bool takes_out(uint8_t opcode, uint32_t slot)
{
	return (slot && slot != SLOT_ANY) || opcode == OP_FILES_UPDATE || opcode == OP_MSG_RING ||
	       opcode == OP_PIPE;
}

static __always_inline void note_change(void)
{
	__sync_fetch_and_add(&fixed_changes, 1);
}

static __always_inline struct known_file known_file_of(struct task_struct *task, struct file *file)
{
	struct inode *inode = PEEK(file, f_inode);

	return (struct known_file){(uint64_t)inode, PEEK(inode, i_ino), fixed_changes, task->tgid};
}

static __always_inline bool is_known(const struct known_file_key *key, const struct known_file *now)
{
	struct known_file *before = bpf_map_lookup_elem(&known_files, key);

	return before && before->inode == now->inode && before->number == now->number &&
	       before->changes == now->changes && before->process == now->process;
}

/* Returns the fixed file with this number, or NULL. The tables of kernels before Linux 5.19 are different, and are not read. */
static __always_inline struct file *fixed_file(struct io_ring_ctx *ring, uint32_t index)
{
	uint64_t file = 0;

	if (bpf_core_field_exists(ring->file_table.data)) {
		if (index < PEEK(ring, file_table.data.nr))
			file = PEEK_WORD(PEEK(ring, file_table.data.nodes) + index);
		file = file ? PEEK((struct io_rsrc_node *)file, file_ptr) : 0;
	} else if (bpf_core_field_exists(ring->file_table.alloc_hint)) {
		if (index < PEEK(ring, nr_user_files))
			file = PEEK_WORD((uint64_t *)PEEK(ring, file_table.files) + index);
	}
	return (void *)(file & ~(uint64_t)FILE_BITS);
}

/* Returns the fixed file that a request has used or opened, or NULL. */
static __always_inline struct file *file_of_ending(const struct ending *ending)
{
	if (ending->slot && opens(ending->opcode))
		return ending->result < 0
			       ? NULL
			       : fixed_file(ending->ring, ending->slot == SLOT_ANY
								  ? (uint32_t)ending->result
								  : ending->slot - 1);
	if (ending->request && PEEK(ending->request, flags) & SQE_FIXED_FILE)
		return PEEK(ending->request, file);
	return NULL;
}
