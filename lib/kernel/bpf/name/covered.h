/* covered: whether something is mounted on a directory. */
#pragma once

#include "bpf/base/loop.h"
#include "bpf/base/scratch.h"
#include "bpf/base/vfs.h"

enum { MOUNTS_MAX = 4096 }; /* maximum number of mounts on one mount that are compared */

const volatile uint32_t mounted_flag; /* DCACHE_MOUNTED */

/* A search among the mounts on one mount. */
struct search {
	struct list_head *head, *at;
	struct dentry *dentry;
	bool is_found;
};

/* Returns 1 to stop. */
static long look_at_mount(TURN(struct search *search))
{
	struct mount *mount = (void *)search->at - bpf_core_field_offset(struct mount, mnt_child);

	if (TURN_NUMBER >= MOUNTS_MAX || !search->at || search->at == search->head)
		return 1;
	search->is_found = PEEK(mount, mnt_mountpoint) == search->dentry;
	search->at = PEEK(search->at, next);
	return search->is_found;
}

/*
 * Returns whether something is mounted on scratch->dentry, in the namespace of scratch->mount: then a path leads there instead.
 * As a function with a number as its argument, it is verified once, and not at each call.
 */
__weak int is_covered(uint32_t cpu)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);
	struct search search = {};
	struct mount *mount;

	if (!scratch)
		return 0;
	mount = (struct mount *)scratch->mount;
	search.dentry = (struct dentry *)scratch->dentry;
	search.head = (void *)mount + bpf_core_field_offset(struct mount, mnt_mounts);
	search.at = PEEK(search.head, next);
	REPEAT(MOUNTS_MAX, look_at_mount, &search);
	return search.is_found;
}
