/*
 * life: threads and processes, from fork to exit: what begins and ends with them.
 */
#pragma once

#include "task/task.h"

void life_part(struct model *m, uint32_t pid, uint32_t tid);
/*
 * Something is of this thread. If another one was known by its number, that has ended, and nobody said so: call this before
 * task_get().
 */
static inline void life_meet(struct model *m, uint32_t pid, uint32_t tid)
{
	if (task_near(m, pid, tid) == ID_NONE)
		life_part(m, pid, tid);
}
void life_fork(struct model *m, const struct event *event);
void life_clone_flags(struct model *m, const struct event *event);
void life_comm(struct model *m, const struct event *event);
/* The end of a call: that of an exec is the end of all threads of the process but one. */
void life_call_end(struct model *m, const struct event *event);
void life_exit(struct model *m, const struct event *event);
/* Records the process from now on, or no more. */
void life_leave_out(struct model *m, uint32_t process, bool is_left_out);
/* All that still runs: calls in flight are cancelled, descriptors counted as open. */
void life_end_all(struct model *m);
void life_release(struct model *m);
