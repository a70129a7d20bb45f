/*
 * cgroup_names: facts of the control groups of a hierarchy.
 *
 * The kernel reports the id of a group, which is the inode of its directory. Only the stream shows which groups occur, so there is a
 * fact for each group that exists when it is asked for, and later for each new one. A group that was created and removed in between
 * has no name.
 */
#pragma once

#include "proc/facts.h"
#include "proc/procfs.h"

#include <iotrace/map.h>

enum { CGROUP_NAMES_MAX = 1 << 14 }; /* maximum number of groups: a caller waits for the result */

struct cgroup_names {
	int top;          /* directory of the hierarchy; -1: none */
	struct map known; /* ids of groups that have a fact */
};

/* Finds the hierarchy: version 2, or with is_of_blocks that of blkio of version 1 if it is mounted. */
void cgroup_names_open(struct cgroup_names *names, const struct procfs *proc, bool is_of_blocks);
/* The same below a directory; takes over the descriptor. */
void cgroup_names_at(struct cgroup_names *names, int top);
/* Adds a fact for each group that has none yet. */
void cgroup_names_add_facts(struct cgroup_names *names, struct facts *facts);
/* Also closes a zeroed struct. */
void cgroup_names_close(struct cgroup_names *names);
