/*
 * owner: groups of an owner and a class, and those of operations: enum bpf_span_owner. Calls belong to the file system of their file.
 *
 * Calls on pipes, sockets, terminals and descriptors without a file are not counted. A call with a path has no file system until it has
 * opened a file.
 */
#pragma once

#include "bpf/name/descriptor.h"
#include "bpf/span/value.h"

const volatile uint8_t about[BPF_SPAN_VALUES];
/* An argument, or BPF_SPAN_FD_...; and the same of the file that a call copies to. */
const volatile uint8_t fd_of[BPF_SPAN_VALUES], fd2_of[BPF_SPAN_VALUES];

/* The last one stands for all that are beyond. */
static __always_inline uint32_t about_value(uint64_t what)
{
	what = what < BPF_SPAN_VALUES ? what : BPF_SPAN_VALUES - 1;
	/* The verifier of old kernels has forgotten the bound of the other branch. */
	asm volatile("" : "+r"(what));
	return about[what & (BPF_SPAN_VALUES - 1)];
}

enum { TYPE = 0170000, DIRECTORY = 0040000, BLOCK_DEVICE = 0060000, REGULAR = 0100000 };

/* Returns 0 if the file is none of a file system. */
static __always_inline uint32_t file_system_of(int32_t fd)
{
	struct file *file = file_of(bpf_get_current_task_btf(), fd);
	struct inode *inode = file ? PEEK(file, f_inode) : NULL;
	uint32_t type = inode ? PEEK(inode, i_mode) & TYPE : 0;

	return type == REGULAR || type == DIRECTORY || type == BLOCK_DEVICE ? device_of_inode(inode)
									    : 0;
}

static __always_inline uint32_t fd_at(long call)
{
	return (uint64_t)call < BPF_SPAN_VALUES ? fd_of[(uint64_t)call] : BPF_SPAN_FD_NONE;
}

/* Returns whether the call counts. owner: 0 if the file system is not known. */
static __always_inline bool begins_on_file(const struct input *input, uint64_t *owner)
{
	uint32_t at = fd_at(input->call);

	if (at >= BPF_SPAN_FD_NONE)
		return true;
	*owner = file_system_of((int32_t)argument_of(input->regs, at));
	return *owner;
}

/* Of the operation of a call that copies: the group of the other one, and 1; 0: there is none. */
static __always_inline uint64_t second_group(const struct bpf_span_open *open)
{
	return spec.owner == BPF_SPAN_OF_OPERATION ? open->bytes : 0;
}

/* Both operations of a call are one open span. */
static __always_inline uint64_t spans_in(const struct bpf_span_open *open)
{
	return second_group(open) ? 2 : 1;
}

static __always_inline uint64_t group_of_result(const struct input *input, uint64_t group)
{
	uint64_t owner;

	if (fd_at(input->call) != BPF_SPAN_FD_RESULT || (int64_t)input->result < 0)
		return group;
	owner = file_system_of((int32_t)input->result);
	return owner << BPF_SPAN_OWNER_SHIFT | (uint32_t)group;
}

static __always_inline uint64_t group_of_owner(uint64_t key, uint64_t owner, uint64_t group)
{
	if (spec.owner == BPF_SPAN_OF_KEY || spec.owner == BPF_SPAN_OF_CONNECTION)
		return key << BPF_SPAN_OWNER_SHIFT | (uint32_t)group;
	if (spec.owner == BPF_SPAN_OF_OPERATION)
		return (uint32_t)owner - 1;
	if (spec.owner == BPF_SPAN_OF_FILE_SYSTEM)
		return owner << BPF_SPAN_OWNER_SHIFT |
		       (group < BPF_SPAN_VALUES
				? about[group] >> BPF_SPAN_CLASS_SHIFT & BPF_SPAN_CLASS
				: 0);
	return group;
}
