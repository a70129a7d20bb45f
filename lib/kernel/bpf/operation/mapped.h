/*
 * mapped: the names of mapped files. A page fault leads to an inode only. Its name is that by which the file was mapped last; of a file that
 * was mapped before the recording, or by the kernel for a new program, only the inode is known.
 */
#pragma once

#include "bpf/operation/group.h"

/* A file that gets the number of one that was deleted has another generation. */
struct mapped_key {
	uint64_t dev, ino, generation;
};

/* The numbers of names by inodes. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct mapped_key);
	__type(value, uint32_t);
} mapped SEC(".maps");

enum { MAPPED_FD = 4 }; /* the argument of mmap() */

SEC("tp_btf/sys_enter")
int file_is_mapped(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mapped_key key;
	struct file *file;
	struct inode *inode;
	uint32_t number;

	if (number_at_call(context) != spec.mmap || !is_on || COMPAT_OF(task) || !is_followed_now())
		return PASS_ON;
	file = file_of(task, (int32_t)argument_of(regs_at_call(context), MAPPED_FD));
	if (!file)
		return PASS_ON;
	inode = PEEK(file, f_inode);
	key = (struct mapped_key){device_of_inode(inode), PEEK(inode, i_ino),
				  PEEK(inode, i_generation)};
	number = own_file_number((uint64_t)file);
	if (number)
		bpf_map_update_elem(&mapped, &key, &number, BPF_ANY);
	return PASS_ON;
}
