/* live_tasks: the recorded tasks: facts about running ones, and whether any is left. */
#pragma once

#include "live_private.h"

/* Its threads; with its current directory and descriptors as well. */
void live_add_task_facts(struct live *live, uint32_t pid);
void live_add_process_facts(struct live *live, uint32_t pid, enum lookup_reason reason);
/* Returns whether a task runs that was asked for, or one that descends from it. Not with -a. */
bool live_has_tasks(const struct live *live);
