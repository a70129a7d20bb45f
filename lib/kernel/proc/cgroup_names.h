/*
 * cgroup_names: facts of the control groups of the hierarchy that charges block requests.
 *
 * The kernel tells the id of a group, which is the inode of its directory. Which groups occur only the stream knows, so
 * all are told that there are when the recording begins, and when it ends those that came since. A group that came
 * and went between has no name.
 */
#pragma once

#include "facts.h"
#include "procfs.h"

#include <iotrace/map.h>

enum { CGROUP_NAMES_MAX = 1 << 14 }; /* more are not told: somebody waits */

struct cgroup_names {
	int top;         /* directory of the hierarchy; -1: none */
	struct map told; /* ids */
};

/* Finds the hierarchy: that of blkio of version 1 where it is mounted, else version 2. */
void cgroup_names_open(struct cgroup_names *names, const struct procfs *proc);
/* The same below a directory, which is taken. */
void cgroup_names_at(struct cgroup_names *names, int top);
/* Adds a fact for each group that was not told yet. */
void cgroup_names_say(struct cgroup_names *names, struct facts *facts);
/* All zero is a closed one, too. */
void cgroup_names_close(struct cgroup_names *names);
