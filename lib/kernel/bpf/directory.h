/*
 * directory: the current directory of a task, where a relative path starts, and its root.
 */
#ifndef BPF_DIRECTORY_H
#define BPF_DIRECTORY_H

#include "file.h"

/*
 * Appends a part of the root of the task: from the root of its mount namespace, which no other mount is above. A namespace
 * that the root is not in has no path to it.
 */
static __always_inline uint32_t put_root(struct scratch *scratch, uint32_t at, uint32_t cpu,
					 struct task_struct *task, bool has_loop)
{
	struct mnt_namespace *space = PEEK(task->nsproxy, mnt_ns);
	struct bpf_part_file *part;
	struct walk walk;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	part->fd = -1;
	part->flags = 0;
	part->position = PEEK(space, ns.inum);
	begin_walk(&walk, task, &task->fs->root, cpu, at);
	walk.top = NULL;
	walk.top_mount = NULL;
	part->mnt_id = PEEK(walk.mount, mnt_id);
	put_inode(part, walk.dentry);
	put_names(part, scratch, &walk, has_loop);
	if (PEEK(walk.mount, mnt_ns) == space)
		walk.flags &= ~BPF_PART_DETACHED;
	part->part.kind = BPF_PART_DIRECTORY;
	part->part.size = walk.at - at;
	part->part.index = 1;
	part->part.flags = walk.flags;
	return padded(walk.at);
}

/* Appends a part of a directory. */
static __always_inline uint32_t put_directory(struct scratch *scratch, uint32_t at, uint32_t cpu,
					      struct task_struct *task, struct path *path,
					      enum bpf_part_kind kind, uint32_t index,
					      bool has_loop)
{
	struct bpf_part_file *part;

	if (at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	part->fd = -1;
	part->flags = 0;
	part->position = ~0ULL;
	return put_where(scratch, at, cpu, task, path, kind, index, has_loop);
}

#endif
