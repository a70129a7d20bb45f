#include "op_emit.h"

#include "call_trait.h"
#include "fd/fdtable.h"
#include "fd/position.h"
#include "out/outbox.h"
#include "task/choice.h"
#include "task/location.h"

#include <fcntl.h>

/* Other calls are recorded only for wanted tasks. Their names come from the stream and are more reliable than those known here. */
bool op_is_excluded(const struct model *m, uint32_t task, const struct call_row *row)
{
	return CALL_GROUPS_ALWAYS >> row->group & 1 && choice_leaves_out(m, task);
}

bool op_is_gone(const struct op *op)
{
	const struct slot *slot = table_slot(op->m, task_table(op->m, op->task),
					     (uint64_t)call_fd(&op->call, op->row->fd));

	return (slot ? slot->open : ID_NONE) != op->call.open;
}

void op_emit_use(struct op *op, struct io_event *event)
{
	if (op_is_gone(op))
		event->time = op->call.enter;
	op_emit(op, event, op->call.open);
}

/* With --comm, only matching threads have records that show how they move positions. */
static bool may_be_moved_unseen(const struct op *op)
{
	const struct model *m = op->m;

	return op->is_excluded ||
	       (choice_is_partial(m, op->process) &&
		(m->process[op->process].tasks > 1 || m->table[task_table(m, op->task)].users > 1));
}

uint32_t op_open(const struct op *op, uint32_t description)
{
	process_id creator = op->is_excluded ? ID_NONE : process_group(op->m, op->process);
	uint32_t open = open_new(op->m, description, creator);

	op->m->open[open].is_found = op->is_excluded;
	if (may_be_moved_unseen(op))
		position_share(op->m, &op->m->description[description]);
	return open;
}

void op_emit_duplicate(struct op *op, uint32_t from, uint32_t open, bool is_cloexec)
{
	struct io_event event = {.kind = IO_DUPLICATE_HANDLE,
				 .thread = op->thread,
				 .time = op->time,
				 .handle = ID_NONE};

	event.duplicate.flags = is_cloexec ? O_CLOEXEC : 0;
	if (!op->is_excluded)
		out_emit(op->m, &event, from, open);
}

/*
 * `time` may be that of a call's begin, or of the next call when a call's end was lost. io_events of other threads that used the
 * handle after that may have been emitted already. So the handle lives until now.
 */
void op_destroy(struct model *m, uint32_t task, uint64_t time, uint32_t open)
{
	struct io_event event = {.kind = IO_DESTROY_HANDLE,
				 .time = time > m->now ? time : m->now,
				 .handle = ID_NONE};

	if (location_keeps(m, m->task[task].process, open) || choice_leaves_out(m, task))
		return;
	event.thread = task_location(m, task, time);
	event.destroy.is_shared = m->table[task_table(m, task)].users > 1;
	if (time < m->now)
		out_emit_beside(m, &event, open, ID_NONE);
	else
		out_emit(m, &event, open, ID_NONE);
}
