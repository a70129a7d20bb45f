/*
 * cgroup: control groups by the names that users give them.
 */
#pragma once

#include "procfs.h"

struct error;

/*
 * Returns a descriptor of a group's directory, or -errno with a sentence. `path` is that of the directory, or one
 * below the mount of version 2 or of the controller perf_event of version 1.
 */
int cgroup_open(const struct procfs *proc, const char *path, struct error *err);
/* Returns whether one of the two directories is the other, or lies in it. */
bool cgroup_overlap(int a, int b);
/* Returns whether the kernel can record the tasks of the group (its hierarchy has perf_event). */
bool cgroup_is_recordable(int fd);
/* Adds the processes that are in the group now, and in those below it. */
void cgroup_processes(int fd, struct number_list *numbers);
