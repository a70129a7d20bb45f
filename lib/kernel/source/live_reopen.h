/*
 * live_reopen: opens events again that the kernel has closed. If the recorder no longer has the right, the opener does it.
 *
 * The kernel removes perf's events from a process at an exec that changes its rights, or that runs a program which it may not
 * read. Until the events are open again, the process is not recorded. The fact GAP says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct live;

/* Returns whether processes are followed whose events the kernel removes. Known once the source is chosen. */
bool live_reopen_may(const struct live *live);
/* Called when all events are open, before rights are dropped. Starts the opener if it is allowed and useful. */
void live_reopen_start(struct live *live);
/* Opens the events of a CPU that came online, by its index in the set. Returns whether they are open. */
bool live_reopen_cpu(struct live *live, uint32_t cpu);
/* Opens events again for processes that have lost them, as look-ups have found. Called in a round, when the rings are empty. */
void live_reopen_processes(struct live *live);
/* Opens the events of a process that was not recorded before. Returns 0, or -errno with a message. */
int live_reopen_join(struct live *live, uint32_t pid, struct error *err);
/* Replaces ids in records by those that the capture knows. */
void live_reopen_rename(const struct live *live, void *records, size_t size);
void live_reopen_close(struct live *live);
