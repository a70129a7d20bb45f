/*
 * way: what leads to a file, as a number. Whatever changes its name changes this number: its inode, and the name, the parent, the renames
 * and the mounts of all dentries on the way up to the root of the process.
 */
#pragma once

#include "bpf/name/where.h"

enum { LOOK_BITS = 6 }; /* the whole way is looked at every 64 jiffies: 64 to 640 ms */

static __always_inline uint64_t fold(uint64_t hash, uint64_t value)
{
	return (hash ^ hash >> 29 ^ value) * 0xff51afd7ed558ccd;
}

/* What leads to a file, on the way up. */
struct way {
	struct walk walk;
	uint64_t hash;
};

/* A rename changes the sequence of the dentry. Another dentry at the same address has another name, or another parent. */
static long fold_step(TURN(struct way *way))
{
	struct dentry *dentry = way->walk.dentry;
	uint64_t parent;

	if (TURN_NUMBER >= STEPS_MAX)
		return 1;
	if (dentry == way->walk.top && mount_of(&way->walk) == way->walk.top_mount)
		return 1;
	if (dentry == way->walk.root)
		return leave_mount(&way->walk);
	parent = PEEK_NUMBER(dentry, d_parent);
	way->hash = fold(way->hash, PEEK(dentry, d_name.hash_len));
	way->hash = fold(way->hash, parent + renames_of(dentry));
	way->hash = fold(way->hash, PEEK(dentry, d_flags) & mounted_flag);
	if ((uint64_t)dentry == parent)
		return 1;
	way->walk.dentry = (struct dentry *)parent;
	return 0;
}

/* Its whole name is that of the dentry, which has no hash. */
static __always_inline uint64_t fold_name(uint64_t hash, struct dentry *dentry)
{
	const unsigned char *name = PEEK(dentry, d_name.name);

	for (int i = 0; i < 4; i++)
		hash = fold(hash, PEEK_WORD(name + 8 * i));
	return hash;
}

static __always_inline void begin_way(struct walk *walk, struct file *file,
				      struct task_struct *task)
{
	struct vfsmount *mount = PEEK(file, f_path.mnt);
	struct fs_struct *fs = PEEK(task, fs);

	walk->dentry = PEEK(file, f_path.dentry);
	walk->root = PEEK(mount, mnt_root);
	walk->mount = (void *)mount - bpf_core_field_offset(struct mount, mnt);
	walk->top = PEEK(fs, root.dentry);
	walk->top_mount = PEEK(fs, root.mnt);
}

static __always_inline uint64_t way_to(struct file *file, struct task_struct *task)
{
	struct inode *inode = PEEK(file, f_inode);
	struct dentry *dentry;
	struct way way = {};

	begin_way(&way.walk, file, task);
	dentry = way.walk.dentry;
	way.hash = fold(device_of_inode(inode), PEEK(inode, i_ino));
	if (is_special(dentry, way.walk.root))
		return fold_name(way.hash, dentry);
	REPEAT(STEPS_MAX, fold_step, &way);
	return fold(way.hash, way.walk.flags);
}

static __always_inline uint64_t rotated(uint64_t value, uint32_t bits)
{
	return value << bits | value >> (64 - bits);
}

/* Returns what is looked at for each call: see bpf/span/file.h. Operations distinguish files whose names are those of their kind. */
static __always_inline uint64_t sight_of(struct file *file, struct task_struct *task)
{
	uint64_t name = PEEK_NUMBER(file, f_path.dentry);
	struct dentry *dentry = (struct dentry *)name;
	struct inode *inode = PEEK(file, f_inode);
	struct fs_struct *fs = PEEK(task, fs);
	uint64_t hash = fold(PEEK_NUMBER(file, f_path.mnt),
			     rotated(PEEK_NUMBER(fs, root.dentry), 21));

	hash = fold(hash, name ^ rotated(PEEK(dentry, d_name.hash_len), 32));
	hash = fold(hash, PEEK(inode, i_ino) ^ rotated(PEEK_NUMBER(file, f_op), 21) ^
				  (uint64_t)renames_of(dentry) << 40 ^
				  bpf_jiffies64() >> LOOK_BITS << 8);
	return hash ^ hash >> 32;
}
