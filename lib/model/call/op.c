/* op: a call in flight, from its enter to its end. op_end.c has one function for each kind of call. */
#include "op.h"

#include "call_begin.h"
#include "call_trait.h"
#include "fd/fdtable.h"
#include "fd/fs.h"
#include "fd/position.h"
#include "file/file.h"
#include "file/name_filter.h"
#include "op_call.h"
#include "op_emit.h"
#include "op_end.h"
#include "out/outbox.h"
#include "state/filters.h"
#include "state/refused.h"
#include "task/call_counter.h"
#include "task/choice.h"
#include "task/foreign.h"
#include "task/location.h"
#include "task/task.h"
#include "task/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/errname.h>
#include <string.h>

enum { ERRNO_MAX = 4095 }; /* the kernel's MAX_ERRNO: smaller values are addresses or sizes */

void op_path(struct model *m, uint32_t task, uint32_t index, struct event_string path,
	     struct event_string base)
{
	if (index < EVENT_PATHS)
		call_path(m, &m->task[task].call, index, path, base);
}

/* Notes the position that a call without an offset of its own will use. */
static void note_position(struct model *m, struct call *call, uint32_t open, int end)
{
	const struct call_row *row = call_row(call->id);

	call->offset[end] = IO_OFFSET_UNKNOWN;
	if (open == ID_NONE || !call_uses_position(row, call, end))
		return;
	struct description *d = open_description(m, open);
	bool is_append = call_appends(row, call, position_appends(m, d), end);

	if (!d->active++ && !d->is_stream && !d->is_shared && !is_append && d->moved <= call->enter)
		call->offset[end] = d->position;
}

/* Marks what the call makes uncertain until it ends: the model does not believe look-ups in that time. */
static void mark(struct model *m, uint32_t task, const struct call *call, int change)
{
	const struct call_row *row = call_row(call->id);
	struct process *p = &m->process[m->task[task].process];
	uint32_t table = task_table(m, task);

	if (call_opens(row))
		p->opening += (uint32_t)change;
	if (call_passes(row) && change > 0)
		position_pass(m, table, call->open);
	if (row->kind == CALL_CHDIR)
		fs_move(m, p->fs, FS_DIRECTORY, change);
	if (row->kind == CALL_CHROOT)
		fs_move(m, p->fs, row->traits & CALL_MOVES_ROOTS ? FS_ALL_ROOTS : FS_ROOT, change);
	if (row->kind == CALL_EXEC)
		p->is_replaced = false;
	if (call_closes_many(row) && (change > 0 || m->table[table].busy))
		m->table[table].busy += (uint32_t)change;
	if (row->kind == CALL_DUP && row->fd2 != CALL_NO_ARG && call_fd(call, row->fd2) >= 0) {
		struct slot *slot = table_slot(m, table, (uint64_t)call_fd(call, row->fd2));

		if (slot)
			slot->is_busy = change > 0;
	}
}

void op_note(struct model *m, uint32_t task, struct call *call,
	     const struct event_string path[EVENT_PATHS],
	     const struct event_string base[EVENT_PATHS])
{
	call_begin(m, task, call, path, base);
	note_position(m, call, call->open, 0);
	note_position(m, call, call->open2, 1);
	mark(m, task, call, 1);
	m->task[task].call = *call;
}

void op_enter(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	const struct process *p = &m->process[m->task[task].process];
	struct call call = {.id = event->enter.call, .enter = event->time};

	choice_note(m, task, event);
	if (p->is_excluded || (p->is_prelude && call_row(event->enter.call)->kind != CALL_EXEC))
		return;
	if (p->is_foreign) {
		foreign_call(m, task);
		return;
	}
	if (choice_skips_call(m, task, event->enter.call))
		return;
	if (m->task[task].call.id != CALL_ID_NONE) {
		tally_add(m->tally, lost_exits, 1);
		op_cancel(m, task, event->time, IO_END_LOST);
	}
	if (!m->trace.host.first_time && !p->is_prelude)
		m->trace.host.first_time = event->time;
	memcpy(call.arg, event->enter.arg, sizeof(call.arg));
	op_note(m, task, &call, event->enter.path, event->enter.base);
}

static void position_done(struct model *m, struct call *call, uint32_t open, int end)
{
	if (open != ID_NONE && call_uses_position(call_row(call->id), call, end))
		open_description(m, open)->active--;
}

/* Removes the call from its task, and takes back the marks that mark() has set for it. */
static void detach(struct model *m, uint32_t task, struct call *call)
{
	*call = m->task[task].call;
	m->task[task].call.id = CALL_ID_NONE;
	mark(m, task, call, -1);
	position_done(m, call, call->open, 0);
	position_done(m, call, call->open2, 1);
}

static void find_unseen(struct model *m, struct op *op)
{
	const struct call_row *row = op->row;
	uint32_t table = task_table(m, op->task);

	if (op->error == EBADF || row->kind == CALL_CLOSE || op->is_excluded)
		return;
	if (op->call.open == ID_NONE && call_has_descriptor(&op->call))
		op->call.open = unseen_fd(m, op->process, table, call_fd(&op->call, row->fd),
					  op->call.enter);
	if (op->call.open2 == ID_NONE && row->kind == CALL_COPY && !op->error)
		op->call.open2 = unseen_fd(m, op->process, table, call_fd(&op->call, row->fd2),
					   op->call.enter);
}

/* Returns the file that the call's path leads to, or ID_NONE. */
static file_id file_of_path(struct op *op)
{
	const struct event_file *went = op->row->kind == CALL_CHDIR && op->row->path != CALL_NO_ARG
						? op->file
						: NULL;
	str_id path = op->call.path[0];

	if (went && went->name.at)
		path = name_add(op->m, went->name.at, went->name.length);
	tally_add(op->m->tally, paths_unknown, !path && op->call.is_unnamed[0]);
	return path ? file_add(op->m, path, op_file_kind(op)) : ID_NONE;
}

/* The ENTER of a call that opened a file has the file of the new handle: see fill_in() in outbox.c. */
static void op_emit_naming(struct op *op, struct io_event *event, uint32_t open)
{
	event->thread = op->thread;
	event->handle = ID_NONE;
	out_emit(op->m, event, ID_NONE, open);
}

static void emit_enter(struct op *op)
{
	struct io_event event = {.kind = IO_ENTER, .time = op->call.enter};

	event.region.id = op->call.id;
	event.region.file = ID_NONE;
	if (op->call.open != ID_NONE && call_is_of_memory(op->row) &&
	    !table_has(op->m, task_table(op->m, op->task), op->call.open)) {
		event.region.file = open_description(op->m, op->call.open)->file;
		op_emit(op, &event, ID_NONE);
		return;
	}
	if (op->made != ID_NONE) {
		op_emit_naming(op, &event, op->made);
		return;
	}
	if (!op->error && op->made == ID_NONE && op->call.open == ID_NONE)
		event.region.file = file_of_path(op);
	op_emit(op, &event, op->call.open);
}

static void emit_leave(struct op *op)
{
	struct io_event event = {.kind = IO_LEAVE, .time = op->time};

	event.region.id = op->call.id;
	event.region.error = op->error;
	event.region.file = ID_NONE;
	event.region.path = op->error ? call_named(&op->call) : 0;
	event.region.is_cut = op->is_cancelled;
	event.region.end = op->end;
	op_emit(op, &event, ID_NONE);
}

/* Emits the records of the call. Calls on memory that belongs to no file are skipped. */
static void op_end(struct op *op, const struct event *counters)
{
	bool is_silent = (op->call.open == ID_NONE && call_is_of_memory(op->row)) ||
			 call_is_of_no_interest(&op->call);

	if (op->row->kind == CALL_OPEN && !op->error && !op->is_cancelled)
		op_make(op);
	if (is_silent || op->is_excluded) {
		op_apply(op);
		open_drop(op->m, op->call.open);
		open_drop(op->m, op->call.open2);
		return;
	}
	op->thread = task_location(op->m, op->task, op->call.enter);
	emit_enter(op);
	op_apply(op);
	if (counters)
		call_counter_add(op->m, op->task, counters);
	emit_leave(op);
	out_reach(op->m, op->thread, op->time);
	open_drop(op->m, op->call.open);
	open_drop(op->m, op->call.open2);
}

void op_forget(struct model *m, uint32_t task)
{
	struct call call;

	detach(m, task, &call);
	open_drop(m, call.open);
	open_drop(m, call.open2);
}

static void op_init(struct model *m, struct op *op, uint32_t task, uint64_t time)
{
	detach(m, task, &op->call);
	op->m = m;
	op->task = task;
	op->process = m->task[task].process;
	op->row = call_row(op->call.id);
	op->time = time;
	op->position = EVENT_POSITION_UNKNOWN;
	op->made = ID_NONE;
	op->is_excluded = op_is_excluded(m, task, op->row);
}

static bool is_in_exec(const struct task *task)
{
	return task->call.id != CALL_ID_NONE && call_row(task->call.id)->kind == CALL_EXEC;
}

/* The thread that executes a program gets the number of the process's first thread before the call returns. */
static uint32_t exec_task(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, event->pid), first = task_find(m, event->pid);

	if (first != MAP_NONE && is_in_exec(&m->task[first]))
		return first;
	for (uint32_t i = 0; process != MAP_NONE && i < m->tasks.count; i++)
		if (m->task[i].process == process && is_in_exec(&m->task[i]))
			return i;
	return MAP_NONE;
}

void op_replace(struct model *m, const struct event *event)
{
	uint32_t task = exec_task(m, event);

	if (task != MAP_NONE)
		m->process[m->task[task].process].is_replaced = true;
}

/*
 * Returns the task whose call ends, or MAP_NONE if its begin was not seen. A successful exec always ends as execve(), whichever
 * call it was: the kernel sets this number for each new program on x86.
 */
static uint32_t ending_task(struct model *m, const struct event *event)
{
	bool is_exec = call_row(event->exit.call)->kind == CALL_EXEC;
	uint32_t task = task_find(m, event->tid);

	if (task != MAP_NONE &&
	    (is_exec ? is_in_exec(&m->task[task]) : m->task[task].call.id == event->exit.call))
		return task;
	return is_exec ? exec_task(m, event) : MAP_NONE;
}

/* Handles the end of a call whose begin is missing. Its arguments are unknown, so only a new descriptor can be processed. */
static void orphan(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	uint32_t process = m->task[task].process, table = task_table(m, task);
	enum call_kind kind = call_row(event->exit.call)->kind;

	if (!process_is_recorded(m, process) || m->process[process].is_foreign ||
	    choice_skips_end(m, task, event->exit.call))
		return;
	tally_add(m->tally, orphan_exits, 1);
	if (m->task[task].call.id != CALL_ID_NONE) {
		tally_add(m->tally, lost_exits, 1);
		op_cancel(m, task, event->time, IO_END_LOST);
	}
	if ((kind != CALL_OPEN && kind != CALL_CREATE_FD && kind != CALL_DUP) ||
	    event->exit.result < 0)
		return;
	uint32_t old = table_take(m, table, (uint64_t)event->exit.result);

	if (old != ID_NONE)
		op_destroy(m, task, event->time, old);
	open_drop(m, old);
	open_drop(m, unseen_fd(m, process, table, (int)event->exit.result, event->time));
}

/* Returns whether the call gave io_uring requests that the stream does not have. */
static bool submits_hidden(const struct op *op)
{
	return op->row->traits & CALL_OF_URING && op->row->kind == CALL_META && op->result > 0 &&
	       !op->m->aio.shows_uring;
}

void op_complete(struct op *op, const struct event *counters)
{
	struct model *m = op->m;
	bool has_failed = op->result < 0 && op->result >= -ERRNO_MAX;

	op->error = has_failed ? (int)-op->result : 0;
	bool is_interrupted = has_failed && errname_is_interrupted(op->error);

	tally_add(op->m->tally, records_excluded, op->is_excluded);
	if (op->is_excluded)
		filters_add_excluded(op->m, op->task);
	tally_add(op->m->tally, calls, !op->is_excluded);
	tally_add(op->m->tally, calls_failed, !op->is_excluded && has_failed && !is_interrupted);
	tally_add(op->m->tally, calls_interrupted, !op->is_excluded && is_interrupted);
	find_unseen(op->m, op);
	if (op->row->kind == CALL_RENAME && !op->error)
		op_forget_renamed(op);
	if (submits_hidden(op))
		table_doubt_hidden(m, task_table(m, op->task), call_fd(&op->call, op->row->fd));
	refused_see(op->m, op->row, op->result);
	op_end(op, counters);
}

/* Whether the start directory of a path may have changed since the call began. */
static bool has_moved(const struct op *op, uint32_t index)
{
	const struct model *m = op->m;
	const struct fs *fs = &m->fs[m->process[op->process].fs];
	int8_t argument = index ? op->row->fd2 : op->row->fd;
	uint32_t table = task_table(m, op->task);
	int fd = call_fd(&op->call, argument);
	const struct slot *slot;

	if (!fs_keeps_root(m, op->process, op->call.enter))
		return true;
	if (argument == CALL_NO_ARG || fd == AT_FDCWD)
		return fs->moving || fs->moved >= op->call.enter;
	slot = fd < 0 ? NULL : table_slot(m, table, (uint64_t)fd);
	return m->table[table].busy || (slot && (slot->is_busy || slot->changed >= op->call.enter));
}

/* A look-up read the start directory while the call was in flight, so the call may have used another one. */
static void forget_moved(struct op *op)
{
	struct call *call = &op->call;

	for (uint32_t i = 0; i < EVENT_PATHS; i++) {
		if (!call->is_relative[i] || !has_moved(op, i))
			continue;
		call->is_unnamed[i] |= call->path[i] != 0;
		call->path[i] = 0;
		call->written = i ? call->written : 0;
	}
}

uint32_t op_exit(struct model *m, const struct event *event)
{
	uint32_t task = ending_task(m, event);
	struct op op = {.result = event->exit.result};

	if (task == MAP_NONE) {
		orphan(m, event);
		return ID_NONE;
	}
	/* An exec that failed during the search in PATH. */
	if (m->process[m->task[task].process].is_prelude) {
		op_forget(m, task);
		return ID_NONE;
	}
	choice_note(m, task, event);
	op_init(m, &op, task, event->time);
	forget_moved(&op);
	op_complete(&op, event->exit.counters ? event : NULL);
	return op.row->kind == CALL_EXEC && !op.error && m->task[task].tid != event->tid ? task
											 : ID_NONE;
}

void op_lock(struct model *m, const struct event *event)
{
	uint32_t task = task_find(m, event->tid);

	if (task == MAP_NONE)
		return;
	m->task[task].lock_time = event->time;
	m->task[task].lock_type = event->lock_type;
}

void op_cancel(struct model *m, uint32_t task, uint64_t time, enum io_end why)
{
	struct op op = {0};

	if (m->task[task].call.id == CALL_ID_NONE)
		return;
	if (m->process[m->task[task].process].is_prelude) {
		op_forget(m, task);
		return;
	}
	op_init(m, &op, task, time);
	op.is_cancelled = true;
	op.end = why;
	op_end(&op, NULL);
}
