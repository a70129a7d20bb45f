/*
 * task: threads and processes, from fork to exit. Their locations are in location.h.
 */
#ifndef IOTRACE_MODEL_TASK_H
#define IOTRACE_MODEL_TASK_H

#include "state.h"

uint32_t task_seek(struct model *m, uint32_t pid, uint32_t tid);
/* Returns the working id of the thread; made up (with its process) if nothing told of it before. */
static inline uint32_t task_get(struct model *m, uint32_t pid, uint32_t tid)
{
	uint32_t id = m->task_near[tid % TASKS_NEAR];
	const struct task *task;

	if (id >= m->tasks.count)
		return task_seek(m, pid, tid);
	task = &m->task[id];
	if (task->tid == tid && task->process != ID_NONE && m->process[task->process].pid == pid)
		return id;
	return task_seek(m, pid, tid);
}
/* Returns it, or MAP_NONE. */
uint32_t task_find(const struct model *m, uint32_t tid);
uint32_t process_find(const struct model *m, uint32_t pid);
/* Returns the working id of the process; made up with an empty table if it is new. */
uint32_t process_get(struct model *m, uint32_t pid);
/* Returns the descriptor table that the thread uses. */
static inline uint32_t task_table(const struct model *m, uint32_t task)
{
	const struct task *t = &m->task[task];

	return t->table == ID_NONE ? m->process[t->process].table : t->table;
}
/* Whether what the process does is recorded (now). */
static inline bool process_is_recorded(const struct model *m, uint32_t process)
{
	return !m->process[process].is_prelude && !m->process[process].is_left_out;
}
/* Records it from now on, or no more. */
void process_leave_out(struct model *m, uint32_t process, bool is_left_out);

/* The thread has this command name, and so has its process if it is the first thread. */
void task_rename(struct model *m, uint32_t task, str_id name);

void task_fork(struct model *m, const struct event *event);
void task_clone_flags(struct model *m, const struct event *event);
void task_comm(struct model *m, const struct event *event);
void task_exit(struct model *m, const struct event *event);
/* The thread `task` has executed a program as the leader of its process. */
void task_take_over(struct model *m, uint32_t task);
/* All that still runs: calls in flight are cancelled, descriptors counted as open. */
void task_end_all(struct model *m);
/* Counters of -E: adds what an exit said to the thread's totals and emits them. */
void task_count(struct model *m, uint32_t task, const struct event *event);
void task_release(struct model *m);

#endif
