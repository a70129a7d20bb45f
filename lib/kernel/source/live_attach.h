/* live_attach: opens events for tasks, including running processes. */
#pragma once

#include "state/live_state.h"

/*
 * Opens the events for a first task or control group, or PERF_EVERYBODY, and maps the rings. Returns 0, or -errno with a message.
 */
int live_open_events(struct live *live, int target, struct error *err);
/* Opens the events for threads of a process that are not yet known. Returns how many were new, or -errno. */
int live_attach_pass(struct live *live, uint32_t pid, struct map *known, struct error *err);
/* Opens the events for all threads of these processes. Repeats this until no new thread is found. */
int live_attach(struct live *live, const uint32_t *pid, uint32_t pids, struct error *err);
/* Appends the processes that are now in the chosen control groups. */
void live_cgroup_processes(const struct live *live, struct number_list *pids);
