/* life: begin and end of threads and processes: fork, exec, exit. */
#pragma once

#include "task/task.h"

void life_end_stale_thread(struct model *m, uint32_t pid, uint32_t tid);
/*
 * An event belongs to this thread. If another thread had its number before, that thread has ended without a record. Call this
 * before task_get().
 */
static inline void life_notice_thread(struct model *m, uint32_t pid, uint32_t tid)
{
	if (task_near(m, pid, tid) == ID_NONE)
		life_end_stale_thread(m, pid, tid);
}
void life_fork(struct model *m, const struct event *event);
void life_clone_flags(struct model *m, const struct event *event);
void life_comm(struct model *m, const struct event *event);
/* Processes the end of a call. The end of an exec ends all other threads of the process. */
void life_call_end(struct model *m, const struct event *event);
void life_exit(struct model *m, const struct event *event);
/* Starts or stops recording the process. */
void life_exclude(struct model *m, uint32_t process, bool is_excluded);
/* At the end of the stream: cancels calls in flight, and counts open descriptors. */
void life_end_all(struct model *m);
void life_release(struct model *m);
