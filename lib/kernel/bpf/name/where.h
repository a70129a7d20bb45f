/* where: fields and names of the file that a kernel path leads to. */
#pragma once

#include "walk.h"

#include <iotrace/bpf_record.h>

/* Returns whether the file system makes up the name of the dentry, as in d_path(). */
static __always_inline bool is_special(struct dentry *dentry, struct dentry *root)
{
	struct dentry_operations *operations = PEEK(dentry, d_op);
	struct dentry *parent = PEEK(dentry, d_parent);

	return operations && PEEK(operations, d_dname) && (dentry != parent || dentry != root);
}

static __always_inline void put_inode(struct bpf_part_file *part, struct dentry *dentry)
{
	struct inode *inode = PEEK(dentry, d_inode);
	struct super_block *super = PEEK(inode, i_sb);
	uint32_t dev = PEEK(super, s_dev);

	part->mode = PEEK(inode, i_mode);
	part->ino = PEEK(inode, i_ino);
	part->magic = PEEK(super, s_magic);
	part->major = MAJOR(dev);
	part->minor = MINOR(dev);
}

static __always_inline void put_names(struct bpf_part_file *part, struct scratch *scratch,
				      struct walk *walk)
{
	struct dentry *dentry = walk->dentry;

	if (is_special(dentry, walk->root)) {
		walk->flags = BPF_PART_SPECIAL;
		walk->at += put_name(scratch, walk);
		return;
	}
	if (!PEEK(dentry, d_hash.pprev) && PEEK(dentry, d_parent) != dentry)
		walk->flags = BPF_PART_DELETED;
	walk_up(walk);
}

static __always_inline void begin_walk(struct walk *walk, const struct scratch *scratch,
				       uint32_t cpu, uint32_t at)
{
	struct path *path = (void *)scratch->path;
	struct vfsmount *mnt = PEEK(path, mnt);

	walk->dentry = PEEK(path, dentry);
	walk->root = PEEK(mnt, mnt_root);
	walk->mount = (void *)mnt - bpf_core_field_offset(struct mount, mnt);
	walk->top = (void *)scratch->top;
	walk->top_mount = (void *)scratch->top_mount;
	walk->cpu = cpu;
	walk->at = at + sizeof(struct bpf_part_file);
	walk->end = walk->at + PATH_BYTES;
	walk->flags = 0;
	walk->has_left = false;
	walk->has_ended = false;
}

/*
 * Writes the fields and names of the file that scratch->path leads to. Returns the end of the part that begins at `at`. As a
 * function with numbers as its arguments, it is verified once, and not at each call.
 */
__weak int write_where(uint32_t cpu, uint32_t at)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);
	struct bpf_part_file *part;
	struct walk walk;

	if (!scratch || at > SCRATCH_TEXT - SCRATCH_PART)
		return at;
	part = place(scratch, at);
	begin_walk(&walk, scratch, cpu, at);
	part->mnt_id = PEEK(walk.mount, mnt_id);
	put_inode(part, walk.dentry);
	put_names(part, scratch, &walk);
	if (scratch->space && walk.has_ended &&
	    (uint64_t)PEEK(walk.mount, mnt_ns) == scratch->space)
		walk.flags &= ~BPF_PART_DETACHED;
	part->part.size = walk.at - at;
	part->part.flags = walk.flags;
	return walk.at;
}

/* Completes a part with the file that scratch->path leads to. Returns the position behind it. */
static __always_inline uint32_t put_asked(struct scratch *scratch, uint32_t at, uint32_t cpu,
					  enum bpf_part_kind kind, uint32_t index)
{
	struct bpf_part_file *part = place(scratch, at);

	part->part.kind = kind;
	part->part.index = index;
	return padded(write_where(cpu, at));
}

/* Completes a part with the file that a path leads to, as the task sees it. Returns the position behind it. */
static __always_inline uint32_t put_where(struct scratch *scratch, uint32_t at, uint32_t cpu,
					  struct task_struct *task, struct path *path,
					  enum bpf_part_kind kind, uint32_t index)
{
	scratch->path = (uint64_t)path;
	scratch->top = (uint64_t)PEEK(&FOLLOW(task, fs)->root, dentry);
	scratch->top_mount = (uint64_t)PEEK(&FOLLOW(task, fs)->root, mnt);
	scratch->space = 0;
	return put_asked(scratch, at, cpu, kind, index);
}
