/* cgroup: control groups by the names that users give them. */
#pragma once

#include "proc/procfs.h"

struct error;

/*
 * Returns a descriptor of a group's directory, or -errno with a message. `path` is that of the directory, or relative to the mount of
 * version 2 or of the controller perf_event of version 1.
 */
int cgroup_open(const struct procfs *proc, const char *path, struct error *err);
/* Returns whether the directories are equal or one contains the other. */
bool cgroup_overlap(int a, int b);
/* Returns whether the kernel can filter by this group (its hierarchy has perf_event). */
bool cgroup_is_recordable(int fd);
/* Adds the processes that are now in the group and in the groups below it. */
void cgroup_processes(int fd, struct number_list *numbers);
