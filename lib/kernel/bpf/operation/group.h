/* group: the groups of operations. In begin_of() and in open spans, each is a number of 32 bits, and 1; 0: there is none. */
#pragma once

#include "bpf/span/file.h"

static __always_inline struct input input_of(struct pt_regs *regs, uint32_t point, long call,
					     uint64_t result)
{
	return (struct input){.point = &spec.point[point],
			      .regs = regs,
			      .result = result,
			      .task = bpf_get_current_pid_tgid(),
			      .call = call};
}

static __always_inline uint32_t operation_of(uint64_t call)
{
	return call < BPF_SPAN_VALUES ? about[call] >> BPF_SPAN_CLASS_SHIFT & BPF_SPAN_CLASS : 0;
}

/* The group of an operation that is not by file. */
static __always_inline uint32_t plain_group(uint32_t mode)
{
	const struct input input = input_of(NULL, BPF_SPAN_BEGIN, 0, 0);

	return spec.by_mode ? mode : group_of(&input);
}

/* Returns the group of an operation on the file, and 1; 0: there is no file. */
static __always_inline uint64_t group_on(const struct file *file, uint32_t mode)
{
	if (!file)
		return 0;
	return 1 + (uint64_t)(spec.chunks ? own_file_number((uint64_t)file) : plain_group(mode));
}
