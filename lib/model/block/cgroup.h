/*
 * cgroup: control groups that block requests are charged to.
 *
 * A request has the id of its group. Names of all groups come as facts, before or after it.
 */
#pragma once

#include "state/state.h"

/* Returns the public index of the group; defines it at its first use. ID_NONE for id 0 (unknown). */
uint32_t cgroup_get(struct model *m, uint64_t id);
void cgroup_fact(struct model *m, const struct event *event);
void cgroup_release(struct model *m);
