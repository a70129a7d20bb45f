/*
 * walk: the names of a file, on the way up to the root of the process.
 *
 * The names come leaf first, as the dentries give them. The walk crosses mounts. If it does not reach the root of the process, no
 * path of the process leads to the file: it is behind a detached mount, outside of the chroot, or in another mount namespace. No
 * path leads below a directory on which something else is mounted, either. What is mounted on the root itself is not on the way of
 * a path that begins there: only ".." leads to it.
 *
 * Nothing is locked: a rename between two steps gives the old or the new name of what it moves. A rename during a step could mix
 * both, so then the names are marked as torn.
 */
#pragma once

#include "bpf/base/scratch.h"
#include "covered.h"

#include <iotrace/bpf_record.h>

enum { STEPS_MAX = 512 }; /* maximum number of dentries and mounts */

/* The state of a walk. */
struct walk {
	struct dentry *dentry;
	struct dentry *root; /* root of the current mount */
	struct mount *mount;
	struct dentry *top; /* root of the process */
	struct vfsmount *top_mount;
	uint32_t cpu;
	uint32_t at; /* position of the next name in the scratch memory */
	uint32_t end;
	uint32_t flags; /* BPF_PART_... */
	bool has_left;  /* the dentry is the mount point of the mount that the walk has just left */
	bool has_ended; /* the mount is on no other mount */
};

/* Writes a name. Returns its size with the NUL, or 0 if it did not fit. */
static __always_inline uint32_t put_name(struct scratch *scratch, struct walk *walk)
{
	const unsigned char *name = PEEK(walk->dentry, d_name.name);
	long n;

	if (walk->at >= walk->end)
		return 0;
	n = bpf_probe_read_kernel_str(place(scratch, walk->at), NAME_BYTES, name);
	return n > 0 ? n : 0;
}

/* Goes from the root of a mount to its mount point. Returns 1 if it has none, so that the root of the process is not reached. */
static __always_inline long leave_mount(struct walk *walk)
{
	struct mount *above = PEEK(walk->mount, mnt_parent);

	if (above && above != walk->mount) {
		walk->dentry = PEEK(walk->mount, mnt_mountpoint);
		walk->mount = above;
		walk->root = PEEK(above, mnt.mnt_root);
		walk->has_left = true;
		return 0;
	}
	walk->flags |= BPF_PART_DETACHED;
	walk->dentry = NULL;
	walk->has_ended = true;
	return 1;
}

static __always_inline struct vfsmount *mount_of(const struct walk *walk)
{
	return (void *)walk->mount + bpf_core_field_offset(struct mount, mnt);
}

static __always_inline uint32_t renames_of(struct dentry *dentry)
{
	return PEEK(dentry, d_seq.seqcount.sequence);
}

static __always_inline bool ask_whether_covered(struct scratch *scratch, const struct walk *walk)
{
	scratch->mount = (uint64_t)walk->mount;
	scratch->dentry = (uint64_t)walk->dentry;
	return is_covered(walk->cpu);
}

/* Goes one step up. Returns 1 to stop. */
static long step_up(TURN(struct walk *walk))
{
	uint32_t cpu = walk->cpu, size, renames = renames_of(walk->dentry);
	struct dentry *parent = PEEK(walk->dentry, d_parent);
	struct scratch *scratch;

	if (TURN_NUMBER >= STEPS_MAX)
		return 1;
	if (walk->dentry == walk->top && mount_of(walk) == walk->top_mount) {
		if (walk->has_left)
			walk->flags |= BPF_PART_DETACHED;
		walk->dentry = NULL;
		return 1;
	}
	scratch = bpf_map_lookup_elem(&scratches, &cpu);
	if (!scratch)
		return 1;
	if (!walk->has_left && PEEK(walk->dentry, d_flags) & mounted_flag &&
	    ask_whether_covered(scratch, walk)) {
		walk->flags |= BPF_PART_DETACHED;
		walk->dentry = NULL;
		return 1;
	}
	if (walk->dentry == walk->root)
		return leave_mount(walk);
	size = put_name(scratch, walk);
	if (!size || renames & 1 || renames != renames_of(walk->dentry))
		return 1;
	walk->at += size;
	if (walk->dentry == parent) { /* the dentry belongs to no mounted tree */
		walk->flags |= BPF_PART_DETACHED;
		walk->dentry = NULL;
		return 1;
	}
	walk->dentry = parent;
	walk->has_left = false;
	return 0;
}

static __always_inline void walk_up(struct walk *walk)
{
	REPEAT(STEPS_MAX, step_up, walk);
	if (walk->dentry)
		walk->flags |= BPF_PART_TORN;
}
