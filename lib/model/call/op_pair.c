/*
 * op_pair: calls that the kernel has paired.
 *
 * Such a call is known only when it ends. What it used is looked up as of its begin (call_begin.c). What it created is accepted
 * unless another call shows that it may be gone already.
 */
#include "call_begin.h"

#include "op.h"
#include "op_call.h"
#include "op_emit.h"
#include "out/outbox.h"
#include "task/choice.h"
#include "task/foreign.h"
#include "task/task.h"

#include <string.h>

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the time up to which the thread's location has records. */
static uint64_t reached(const struct model *m, const struct task *task)
{
	const struct process *p = &m->process[task->process];
	thread_id location = task->location;

	if (location == ID_NONE && task->tid == p->pid)
		location = p->leader;
	return out_reached(m, location);
}

/* Time must not decrease on a location, whatever the stream contains. */
static uint64_t begin_of(const struct model *m, uint32_t task, const struct event *event)
{
	const struct task *t = &m->task[task];
	uint64_t begin = later(event->pair.begin, later(t->begin, reached(m, t)));

	if (t->call.id != CALL_ID_NONE)
		begin = later(begin, t->call.enter);
	return begin < event->time ? begin : event->time;
}

/* A call that a snapshot showed in flight may be the one that ends now. The end of any other call was lost. */
static void supersede(struct model *m, uint32_t task, const struct call *next)
{
	const struct call *noted = &m->task[task].call;

	if (noted->id == CALL_ID_NONE)
		return;
	if (noted->id == next->id && noted->enter == next->enter) {
		op_forget(m, task);
		return;
	}
	tally_add(m->tally, lost_exits, 1);
	op_cancel(m, task, next->enter, IO_END_LOST);
}

/* Whether another thread could have closed and reused what the call used. */
static bool is_shared(const struct model *m, uint32_t task)
{
	return m->process[m->task[task].process].tasks > 1 ||
	       m->table[task_table(m, task)].users > 1;
}

void op_pair(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	const struct process *p = &m->process[m->task[task].process];
	struct op op = {.m = m,
			.task = task,
			.process = m->task[task].process,
			.row = call_row(event->pair.call),
			.call = {.id = event->pair.call,
				 .enter = begin_of(m, task, event),
				 .has_succeeded = event->pair.result >= 0},
			.time = event->time,
			.result = event->pair.result,
			.is_pair = true,
			.made = ID_NONE,
			.position = event->pair.position,
			.file = event->pair.file};

	choice_note(m, task, event);
	op.is_excluded = op_is_excluded(m, task, op.row);
	m->is_paired = true;
	if (!process_is_recorded(m, m->task[task].process))
		return;
	if (p->is_foreign) {
		foreign_call(m, task);
		return;
	}
	if (choice_skips_call(m, task, op.call.id))
		return;
	if (!m->trace.host.first_time ||
	    (op.call.enter < m->trace.host.first_time && !m->out.since))
		m->trace.host.first_time = op.call.enter;
	memcpy(op.call.arg, event->pair.arg, sizeof(op.call.arg));
	supersede(m, task, &op.call);
	if (event->pair.is_in_flight) {
		op_note(m, task, &op.call, event->pair.path, event->pair.base);
		return;
	}
	call_begin(m, task, &op.call, event->pair.path, event->pair.base);
	/* It may be the position of another file. */
	if (is_shared(m, task) && op_is_gone(&op))
		op.position = EVENT_POSITION_UNKNOWN;
	op_complete(&op, NULL);
}
