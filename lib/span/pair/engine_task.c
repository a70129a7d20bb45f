/* engine_task: follows tasks: their names, those that are followed, and what ends with them. */
#include "engine.h"
#include "engine_entry.h"

#include <string.h>

static void name_task(struct span_engine *engine, uint32_t tid, const char *name, uint32_t length)
{
	if (length)
		map_set(&engine->comm, tid, strtab_add(engine->strings, name, length));
}

static bool is_of_thread(const struct span *span)
{
	const struct span_point *begin = &span->side[SPAN_BEGIN];

	return span->source == SPAN_OF_TRACEPOINTS && begin->keys == 1 && !begin->mask[0] &&
	       !strcmp(begin->key[0], "tid");
}

/* The first thread is that of the process: another one may go on under its number. */
static void leave_thread(struct span_engine *engine, const struct event *event)
{
	const uint64_t key[SPAN_KEYS] = {event->tid};

	for (uint32_t i = 0; i < engine->spans; i++) {
		uint32_t slot = is_of_thread(engine->span[i].span)
					? open_find(&engine->open, i, key)
					: OPEN_NONE;

		if (slot == OPEN_NONE)
			continue;
		engine_leave(engine, slot, event->time);
		engine->open.at[slot].is_last = true;
	}
}

static void take_exit(struct span_engine *engine, const struct event *event)
{
	uint32_t slot;

	if (!engine->keeps_names)
		map_remove(&engine->comm, event->tid);
	entries_exit(&engine->entries, event->tid);
	if (event->tid != event->pid) {
		leave_thread(engine, event);
		return;
	}
	map_remove(&engine->foreign, event->pid);
	slot = open_of_process(&engine->open, event->pid);
	for (; slot != OPEN_NONE; slot = engine->open.at[slot].after)
		engine_leave(engine, slot, event->time);
}

/* The process runs a 32-bit program, or another one. */
static void set_foreign(struct span_engine *engine, uint32_t pid, bool is_foreign)
{
	if (is_foreign)
		map_set(&engine->foreign, pid, 1);
	else
		map_remove(&engine->foreign, pid);
}

/* The thread that executes a program gets the number of the first one, also if it is another one. Its call goes on under that number. */
static void take_exec(struct span_engine *engine, const struct event *event)
{
	const uint64_t key[SPAN_KEYS] = {event->tid};
	uint32_t slot = open_of_process(&engine->open, event->pid), old;

	for (; slot != OPEN_NONE; slot = engine->open.at[slot].after) {
		const struct open_span *open = &engine->open.at[slot];

		if (open->tid == event->tid || open->is_last ||
		    !is_of_thread(engine->span[open->span].span))
			continue;
		old = open_find(&engine->open, open->span, key);
		if (old != OPEN_NONE)
			engine_give_up(engine, old, SPAN_LEFT, event->time);
		open_set_key(&engine->open, slot, key);
		engine->open.at[slot].tid = event->tid;
	}
}

static void take_fork(struct span_engine *engine, const struct event *event)
{
	uint32_t comm = engine_comm(engine, event->tid);

	if (comm)
		map_set(&engine->comm, event->fork.child_tid, comm);
	map_remove(&engine->status, event->fork.child_pid);
	if (event->fork.child_pid != event->pid)
		set_foreign(engine, event->fork.child_pid,
			    map_get(&engine->foreign, event->pid) != MAP_NONE);
	if (engine->output.born)
		engine->output.born(engine->output.context, event->fork.child_pid,
				    event->fork.child_tid, event->time);
	if (engine->chooses) {
		map_set(&engine->chosen, event->fork.child_pid, 1);
		map_set(&engine->chosen, event->fork.child_tid, 1);
	}
}

static void take_fact(struct span_engine *engine, const struct fact *fact)
{
	const uint64_t *number = fact->number;
	const struct fact_string *comm = &fact->string[FACT_TASK_comm];
	const struct fact_string *cgroup = &fact->string[FACT_CGROUP_path];

	switch (fact->kind) {
	case FACT_TASK:
		name_task(engine, (uint32_t)number[FACT_TASK_tid], comm->at, comm->length);
		if (number[FACT_TASK_is_foreign])
			set_foreign(engine, (uint32_t)number[FACT_TASK_pid], true);
		if (number[FACT_TASK_is_excluded])
			break;
		map_set(&engine->chosen, number[FACT_TASK_pid], 1);
		map_set(&engine->chosen, number[FACT_TASK_tid], 1);
		break;
	case FACT_EXE:
		if (!number[FACT_EXE_error])
			set_foreign(engine, (uint32_t)number[FACT_EXE_pid],
				    number[FACT_EXE_is_foreign]);
		break;
	case FACT_COMMAND:
		map_set(&engine->chosen, number[FACT_COMMAND_pid], 1);
		break;
	case FACT_CGROUP:
		map_set(&engine->cgroup, number[FACT_CGROUP_id],
			strtab_add(engine->strings, cgroup->at, cgroup->length));
		break;
	case FACT_EXIT:
		map_set(&engine->status, number[FACT_EXIT_pid],
			(uint32_t)number[FACT_EXIT_status] & 0xffff);
		break;
	default:
		break;
	}
}

void span_engine_event(struct span_engine *engine, const struct event *event)
{
	if (engine->stacks)
		engine_follow_stacks(engine, event);
	switch (event->kind) {
	case EVENT_COMM:
		name_task(engine, event->tid, event->comm.name.at, event->comm.name.length);
		if (event->comm.is_exec)
			take_exec(engine, event);
		break;
	case EVENT_FORK:
		take_fork(engine, event);
		break;
	case EVENT_PROGRAM:
		set_foreign(engine, event->pid, event->program.is_foreign);
		break;
	case EVENT_STATUS:
		map_set(&engine->status, event->pid, (uint32_t)event->status & 0xffff);
		break;
	case EVENT_EXIT:
		take_exit(engine, event);
		break;
	case EVENT_LOST:
		engine->lost += event->lost.count;
		break;
	case EVENT_FACT:
		take_fact(engine, &event->fact);
		return;
	default:
		break;
	}
	engine_see_time(engine, event->time);
}
