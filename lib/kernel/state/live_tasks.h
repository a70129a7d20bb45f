/* live_tasks: facts about running tasks, and whether recorded tasks are left. */
#pragma once

#include "live_state.h"

/* Add facts about the threads of the process. The second also adds its directories and descriptors. */
void live_add_task_facts(struct live *live, uint32_t pid);
void live_add_process_facts(struct live *live, uint32_t pid, enum lookup_reason reason);
/* Adds facts about the threads of iotrace itself: they are not recorded, but events of others name them. */
void live_add_own_facts(struct live *live, uint32_t pid);
/* Returns whether one of the requested tasks, or a descendant of one, still runs. Not with -a. */
bool live_has_tasks(const struct live *live);
