/*
 * live_reopen: opens events again that the kernel has closed, through the opener if the recorder no longer has the right.
 *
 * The kernel removes perf's events from a process at an exec that changes its rights, or of a program that it may not read.
 * Until they are open again, the process is not recorded: the fact GAP says so.
 */
#pragma once

#include "opener/opener.h"

#include <iotrace/map.h>
#include <stdbool.h>
#include <stddef.h>

struct error;
struct live;

struct live_reopen {
	struct opener opener;
	struct map index; /* the id of an event that was opened again to the index of its spec */
};

/* Whether processes are followed whose events the kernel takes away; known when the source is chosen. */
bool live_reopen_may(const struct live *live);
/* Called when all events are open, before rights are given up. Starts the opener if it may and can help. */
void live_reopen_start(struct live *live);
/* Opens the events of a CPU that has come, with the index that it has in the set. Returns whether they are open. */
bool live_reopen_cpu(struct live *live, uint32_t cpu);
/* Opens the events again of processes that look-ups found without; called in a round, when the rings are empty. */
void live_reopen_processes(struct live *live);
/* Opens the events of a process that nothing was recorded of. Returns 0, or -errno with a sentence. */
int live_reopen_join(struct live *live, uint32_t pid, struct error *err);
/* Gives records the ids that the capture knows. */
void live_reopen_rename(const struct live *live, void *records, size_t size);
void live_reopen_close(struct live *live);
