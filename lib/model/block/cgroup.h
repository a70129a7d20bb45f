/*
 * cgroup: control groups that block requests are charged to.
 *
 * A request has the id of its group; names come as facts, of all groups that there are, before or after it.
 */
#pragma once

#include "state/state.h"

/* Returns the public index of the group, listed with its first use; ID_NONE for id 0: not known. */
uint32_t cgroup_get(struct model *m, uint64_t id);
void cgroup_fact(struct model *m, const struct event *event);
void cgroup_release(struct model *m);
