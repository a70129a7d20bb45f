/*
 * location: which location of the archive a thread's events stand on, and which group is its process.
 */
#pragma once

#include "state/state.h"

/* Returns a new group, a new location of the archive. */
process_id group_add(struct model *m, const struct trace_process *group);
thread_id location_add(struct model *m, const struct trace_thread *location);
/* Returns the public id of the process, listed if this is its first use. */
process_id process_group(struct model *m, uint32_t process);
/* See task_location(). */
thread_id location_new(struct model *m, uint32_t task, uint64_t time);
/*
 * Returns the public id of the thread, which is listed (and begins in the archive) if this is its first use. time is
 * that of the event: nothing earlier will be emitted of this thread from now on.
 */
static inline thread_id task_location(struct model *m, uint32_t task, uint64_t time)
{
	thread_id location = m->task[task].location;

	return location != ID_NONE ? location : location_new(m, task, time);
}
void location_rename(struct model *m, uint32_t task, str_id name);
/* The thread has ended. is_busy: what it submitted is still in flight; location_end() follows when that has ended. */
void location_leave(struct model *m, uint32_t task, bool is_busy);
/* The last io_event of a thread: nothing of it is in flight any more. */
void location_end(struct model *m, thread_id location);
/* Whether the process is, or would be, a member of the shared group: the archive then has its events, but no definition of it. */
bool location_is_in_shared_group(const struct model *m, uint32_t process);
void location_end_program(struct model *m, thread_id location, uint64_t time, int32_t status);
/* Returns where the counters of the thread are added up: with its own, or with those that it shares a location with. */
uint64_t *location_totals(struct model *m, uint32_t task, uint64_t *own);
/* Returns whether the end of the process may close handles of the archive. */
bool location_may_close(const struct model *m, uint32_t process);
/* A process has closed a descriptor. Returns whether the handle goes on in its group, or has been destroyed already. */
bool location_keeps(struct model *m, uint32_t process, uint32_t open);
