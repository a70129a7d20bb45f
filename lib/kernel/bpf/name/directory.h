/* directory: the current directory of a task, which relative paths start at, and its root. */
#pragma once

#include "where.h"

/*
 * Appends a part with the root of the task, as a path from the root of its mount namespace: the mount that is on no other mount.
 * If the task's root is in another namespace, or below what something is mounted on, there is no path to it.
 */
static __always_inline uint32_t put_root(struct scratch *scratch, uint32_t at, uint32_t cpu,
					 struct task_struct *task)
{
	struct mnt_namespace *space = PEEK(FOLLOW(task, nsproxy), mnt_ns);
	struct bpf_part_file *part;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	part->fd = -1;
	part->flags = 0;
	part->position = PEEK(space, ns.inum);
	scratch->path = (uint64_t)&FOLLOW(task, fs)->root;
	scratch->top = 0;
	scratch->top_mount = 0;
	scratch->space = (uint64_t)space;
	return put_asked(scratch, at, cpu, BPF_PART_DIRECTORY, 1);
}

/* Appends a part with a directory. */
static __always_inline uint32_t put_directory(struct scratch *scratch, uint32_t at, uint32_t cpu,
					      struct task_struct *task, struct path *path,
					      enum bpf_part_kind kind, uint32_t index)
{
	struct bpf_part_file *part;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	part->fd = -1;
	part->flags = 0;
	part->position = ~0ULL;
	return put_where(scratch, at, cpu, task, path, kind, index);
}
