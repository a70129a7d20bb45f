#include "life.h"

#include "aio/aio_in.h"
#include "call/op.h"
#include "call/op_emit.h"
#include "call/thread_table.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "fd/position.h"
#include "map/mapping.h"
#include "span.h"
#include "task/call_counter.h"
#include "task/location.h"
#include "task/program.h"
#include "task/task.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void process_end(struct model *m, uint32_t process)
{
	program_end(m, process);
	mapping_clear(m, process);
	map_remove(&m->process_by_pid, m->process[process].pid);
	m->process[process].table = ID_NONE;
	fs_drop(m, m->process[process].fs);
	pool_give(&m->processes, process);
}

static void exit_closes(struct model *m, uint32_t open, void *context)
{
	op_destroy(m, *(const uint32_t *)context, m->now, open);
}

static void task_free(struct model *m, uint32_t task)
{
	call_counter_release(&m->task[task]);
	m->task[task].process = ID_NONE;
	pool_give(&m->tasks, task);
}

/* Removes the thread. The process ends with its last thread, and its descriptors are closed. */
static void task_retire(struct model *m, uint32_t task)
{
	uint32_t process = m->task[task].process;
	table_emptied emptied = location_may_close(m, process) ? exit_closes : NULL;
	bool is_last = --m->process[process].tasks == 0;

	span_thread_end(m, task);
	thread_table_end(m, task, emptied, &task);
	if (is_last) {
		span_process_end(m, process);
		aio_process_end(m, process);
		table_drop(m, m->process[process].table, emptied, &task);
	}
	location_leave(m, task, aio_is_busy(m, m->task[task].location));
	map_remove(&m->task_by_tid, m->task[task].tid);
	task_free(m, task);
	if (is_last)
		process_end(m, process);
}

/* The end of the thread was not seen, but its number is used again. */
static void task_forget(struct model *m, uint32_t task)
{
	op_cancel(m, task, m->now, IO_END_LOST);
	task_retire(m, task);
}

void life_end_stale_thread(struct model *m, uint32_t pid, uint32_t tid)
{
	uint32_t task = task_find(m, tid);

	if (task != MAP_NONE && m->process[m->task[task].process].pid != pid)
		task_forget(m, task);
}

/*
 * Returns the public id of a process that has a child now. It is defined even if it has done no I/O yet, so that its children have a
 * parent. In a recording of the whole machine, only processes that have done I/O are defined.
 */
static process_id process_parent(struct model *m, uint32_t process)
{
	if (!process_is_recorded(m, process))
		return ID_NONE;
	return m->trace.host.is_system ? m->process[process].group : process_group(m, process);
}

/* The child process gets a copy of its parent's table, or, with CLONE_FILES, shares it. */
static uint32_t process_fork(struct model *m, uint32_t parent_task, uint32_t pid)
{
	uint32_t parent = m->task[parent_task].process;
	uint32_t child = process_new(m, pid);
	uint32_t table = table_copy(m, task_table(m, parent_task));
	struct process *p = &m->process[parent], *c = &m->process[child];

	c->table = table;
	c->name = p->name;
	c->argv = p->argv;
	c->is_argv_cut = p->is_argv_cut;
	c->rank = p->rank;
	c->selection = p->selection;
	c->is_prelude = p->is_prelude;
	c->is_excluded = p->is_excluded;
	c->is_foreign = p->is_foreign;
	c->begin = m->now;
	fs_copy(m, child, parent);
	mapping_copy(m, parent, child);
	c->parent = process_parent(m, parent);
	return child;
}

void life_clone_flags(struct model *m, const struct event *event)
{
	uint32_t task = task_find(m, event->tid);

	if (task == MAP_NONE)
		return;
	uint32_t thread = m->task[task].forked_thread;

	m->task[task].forked_thread = ID_NONE;
	if (thread != ID_NONE && !(event->clone_flags.flags & CLONE_FILES))
		thread_table_start(m, thread, m->task[task].process);
	if (m->task[task].forked == ID_NONE)
		return;
	uint32_t child = m->task[task].forked;

	m->task[task].forked = ID_NONE;
	if (event->clone_flags.flags & CLONE_FS)
		fs_share(m, child, m->task[task].process);
	else if (event->clone_flags.flags & CLONE_NEWNS)
		fs_forget_namespace(m, child);
	if (!(event->clone_flags.flags & CLONE_FILES) || m->process[child].table == ID_NONE)
		return;
	uint32_t table = task_table(m, task);

	if (m->process[child].table == table)
		return;
	table_drop(m, m->process[child].table, NULL, NULL);
	m->process[child].table = table;
	m->table[table].users++;
}

void life_fork(struct model *m, const struct event *event)
{
	uint32_t pid = event->fork.child_pid, tid = event->fork.child_tid;

	if (tid == event->tid || !pid) /* if its process is unknown, its first call will show it */
		return;
	uint32_t old = task_find(m, tid);

	if (old != MAP_NONE)
		task_forget(m, old);
	uint32_t parent = task_get(m, event->pid, event->tid);
	uint32_t process = process_find(m, pid);

	bool is_thread = process != MAP_NONE;

	if (!is_thread)
		process = process_fork(m, parent, pid);
	uint32_t child = task_new(m, process, tid);

	m->task[parent].forked = is_thread ? ID_NONE : process;
	m->task[parent].forked_thread = is_thread ? child : ID_NONE;
	if (is_thread)
		thread_table_share(m, parent, child);
	m->task[child].begin = m->now;
	m->task[child].name = m->task[parent].name;
	m->task[child].choice = m->task[parent].choice;
	/* The first argument of clone(2) has the flags; those of clone3 are in memory: see life_clone_flags(). */
	const struct call *call = &m->task[parent].call;

	if (call->id != CALL_ID_NONE && call_row(call->id)->kind == CALL_CLONE &&
	    call_row(call->id)->flags != CALL_NO_ARG) {
		struct event flags = *event;

		flags.clone_flags.flags = call->arg[0];
		life_clone_flags(m, &flags);
	}
}

void life_comm(struct model *m, const struct event *event)
{
	str_id name = model_string(m, event->comm.name.at, event->comm.name.length);
	uint32_t task = task_get(m, event->pid, event->tid);
	struct task *t = &m->task[task];

	task_rename(m, task, name);
	if (event->comm.is_exec) {
		op_replace(m, event);
		program_begin(m, t->process);
	}
	if (event->comm.is_exec && m->process[t->process].is_prelude) {
		m->process[t->process].is_prelude = false;
		m->process[t->process].begin = t->begin = t->call.id == CALL_ID_NONE
								  ? m->now
								  : t->call.enter;
		if (!m->trace.host.is_system && !m->out.since &&
		    !(m->trace.host.is_joined && m->trace.host.first_time))
			m->trace.host.first_time = t->begin;
	}
}

/* While the process is excluded, its descriptors and asynchronous requests are not followed. */
void life_exclude(struct model *m, uint32_t process, bool is_excluded)
{
	if (m->process[process].is_excluded == is_excluded)
		return;
	m->process[process].is_excluded = is_excluded;
	if (!is_excluded)
		return;
	aio_process_end(m, process);
	uint32_t table = table_new(m);

	position_share_table(m, m->process[process].table);
	table_drop(m, m->process[process].table, NULL, NULL);
	mapping_clear(m, process);
	m->process[process].table = table;
}

static void take_over(struct model *m, uint32_t task)
{
	uint32_t process = m->task[task].process;
	uint32_t pid = m->process[process].pid;
	uint32_t leader = task_find(m, pid);

	if (leader == task)
		return;
	if (leader == MAP_NONE)
		leader = task_new(m, process, pid);
	m->task[leader].name = m->task[task].name;
	task_retire(m, task);
}

void life_call_end(struct model *m, const struct event *event)
{
	uint32_t task = op_exit(m, event);

	if (task != ID_NONE)
		take_over(m, task);
}

/* No record reports the end of the exec, which can no longer fail. */
static void end_unseen_exec(struct model *m, const struct event *event)
{
	struct event end = *event;

	end.kind = EVENT_SYSCALL_EXIT;
	end.exit.call = call_by_name("execve", strlen("execve"));
	end.exit.result = 0;
	end.exit.counters = 0;
	life_call_end(m, &end);
}

/* Inherited events are gone for good. */
static void task_lose(struct model *m, uint32_t task, const struct event *event)
{
	if (m->trace.host.is_system || m->trace.host.source != TRACE_SOURCE_PERF)
		return;
	tally_add(m->tally, detached, 1);
	m->process[m->task[task].process].is_lost = true;
	end_unseen_exec(m, event);
}

/* Files of other programs may have begins of calls only. A call in flight says nothing about how its thread ended then. */
static bool has_ends(const struct model *m)
{
	return tally_get(m->tally, calls) || !tally_get(m->tally, lost_exits);
}

/*
 * Perf writes EXIT when an exec removes perf's events from a process, because it changes its rights or runs a program that it may
 * not read. The call is still in flight then. A thread that really ends has ended its call before; only the exec of a 32-bit
 * program has no end.
 */
void life_exit(struct model *m, const struct event *event)
{
	uint32_t task = task_find(m, event->tid);
	const struct process *p = task == MAP_NONE ? NULL : &m->process[m->task[task].process];

	if (p && p->is_replaced && !p->is_foreign) {
		task_lose(m, task, event);
		return;
	}
	if (p && p->is_replaced) {
		end_unseen_exec(m, event);
		task = task_find(m,
				 event->tid); /* it may have taken the number of the first thread */
	}
	if (task == MAP_NONE)
		return;
	op_cancel(m, task, event->time, has_ends(m) ? IO_END_DEATH : IO_END_LOST);
	task_retire(m, task);
}

void life_end_all(struct model *m)
{
	for (uint32_t i = 0; i < m->tasks.count; i++)
		if (m->task[i].process != ID_NONE && m->task[i].call.id != CALL_ID_NONE)
			op_cancel(m, i, m->trace.host.last_time, IO_END_RECORDING);
	aio_end_all(m);
	for (uint32_t i = 0; i < m->processes.count && !m->trace.host.conversion; i++)
		m->trace.host.processes_left += m->process[i].tasks && !m->process[i].is_lost &&
						process_is_recorded(m, i);
	for (uint32_t i = 0; i < m->tables.count; i++)
		for (uint32_t fd = 0; fd < m->table[i].capacity; fd++)
			tally_add(m->tally, handles_open, m->table[i].slot[fd].open != ID_NONE);
	for (uint32_t i = 0; i < m->descriptions.count; i++)
		if (m->description[i].holders)
			description_count(m, i);
}

void life_release(struct model *m)
{
	for (uint32_t i = 0; i < m->processes.count; i++)
		free(m->process[i].mapping);
	for (uint32_t i = 0; i < m->tasks.count; i++)
		call_counter_release(&m->task[i]);
}
