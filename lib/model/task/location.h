/* location: assigns threads to locations of the archive, and processes to location groups. */
#pragma once

#include "state/state.h"

/* Return a new group, and a new location, of the archive. */
process_id group_add(struct model *m, const struct trace_process *group);
thread_id location_add(struct model *m, const struct trace_thread *location);
/* Returns the public id of the process; defines it at its first use. */
process_id process_group(struct model *m, uint32_t process);
/* Creates the location for task_location(). */
thread_id location_new(struct model *m, uint32_t task, uint64_t time);
/*
 * Returns the public id of the thread. At its first use it is defined and begins in the archive. time: of the event; no earlier event
 * of this thread will follow.
 */
static inline thread_id task_location(struct model *m, uint32_t task, uint64_t time)
{
	thread_id location = m->task[task].location;

	return location != ID_NONE ? location : location_new(m, task, time);
}
void location_rename(struct model *m, uint32_t task, str_id name);
/* The thread has ended. is_busy: its requests are still in flight; location_end() follows when they have ended. */
void location_leave(struct model *m, uint32_t task, bool is_busy);
/* Emits the last io_event of a thread, when none of its requests is in flight. */
void location_end(struct model *m, thread_id location);
/* Whether the process is, or would be, in the group of shared locations, so the archive has its events but no definition of it. */
bool location_is_in_shared_group(const struct model *m, uint32_t process);
void location_end_program(struct model *m, thread_id location, uint64_t time, int32_t status);
/* Returns the totals of the thread's counters: its own, or those of its shared location. */
uint64_t *location_totals(struct model *m, uint32_t task, uint64_t *own);
/* Returns whether the end of the process may close handles of the archive. */
bool location_may_close(const struct model *m, uint32_t process);
/* A process has closed a descriptor. Returns whether the handle is still open in its group, or was already destroyed. */
bool location_keeps(struct model *m, uint32_t process, uint32_t open);
