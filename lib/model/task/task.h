/*
 * task: running threads and processes, by their numbers. location.h has their locations; life.h creates and ends them.
 */
#pragma once

#include "state/state.h"

/* Returns the working id of a thread from the cache, or ID_NONE. */
static inline uint32_t task_near(const struct model *m, uint32_t pid, uint32_t tid)
{
	uint32_t id = m->task_near[tid % TASKS_NEAR];
	const struct task *task;

	if (id >= m->tasks.count)
		return ID_NONE;
	task = &m->task[id];
	return task->tid == tid && task->process != ID_NONE && m->process[task->process].pid == pid
		       ? id
		       : ID_NONE;
}
uint32_t task_seek(struct model *m, uint32_t pid, uint32_t tid);
/*
 * Returns the working id of the thread. If it is not yet known, creates it and its process. No other thread may have this number: see
 * life_notice_thread().
 */
static inline uint32_t task_get(struct model *m, uint32_t pid, uint32_t tid)
{
	uint32_t id = task_near(m, pid, tid);

	return id != ID_NONE ? id : task_seek(m, pid, tid);
}
/* Returns a new thread of a known process. */
uint32_t task_new(struct model *m, uint32_t process, uint32_t tid);
/* Returns the working id, or MAP_NONE. */
uint32_t task_find(const struct model *m, uint32_t tid);
uint32_t process_find(const struct model *m, uint32_t pid);
/* Returns the working id of the process. If it is new, creates it with an empty table. */
uint32_t process_get(struct model *m, uint32_t pid);
/* Returns a new process without a table. */
uint32_t process_new(struct model *m, uint32_t pid);
/* Returns the descriptor table that /proc shows for the process: that of its first thread. */
uint32_t process_table(const struct model *m, uint32_t process);
/* Whether the process is recorded at this time. */
static inline bool process_is_recorded(const struct model *m, uint32_t process)
{
	return !m->process[process].is_prelude && !m->process[process].is_excluded;
}
/* Sets the command name of the thread, and of its process if it is the first thread. */
void task_rename(struct model *m, uint32_t task, str_id name);
