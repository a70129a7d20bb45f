/*
 * live_tasks: what is said of the tasks of a process that runs already.
 */
#ifndef KERNEL_LIVE_TASKS_H
#define KERNEL_LIVE_TASKS_H

#include "live_private.h"

/* Its threads; with its current directory and descriptors as well. */
void live_say_tasks(struct live *live, uint32_t pid);
void live_say_process(struct live *live, uint32_t pid, enum lookup_reason reason);

#endif
