#include "thread_table.h"

#include "fd/fdtable.h"
#include "op_emit.h"
#include "task/location.h"
#include "task/task.h"

#include <string.h>

/* Doubtful slots are not copied, because that would only duplicate a name that may be wrong. */
static void copy_slot(struct op *op, uint32_t table, uint32_t fd)
{
	struct model *m = op->m;
	const struct slot from = *table_slot(m, task_table(m, op->task), fd);

	if (from.open == ID_NONE || from.doubt)
		return;
	uint32_t open = op_open(op, m->open[from.open].description);

	if (table_set(m, table, fd, open, from.cloexec))
		m->table[table].slot[fd].changed = from.changed;
	op_emit_duplicate(op, from.open, open, from.cloexec == CLOEXEC_YES);
	open_drop(m, open);
}

/* Gives the thread a copy of the table that it uses. *place: where the table of the thread is stored. */
static void copy(struct op *op, uint32_t *place)
{
	struct model *m = op->m;
	uint32_t from = task_table(m, op->task), table = table_new(m);

	for (uint32_t fd = 0; fd < m->table[from].capacity; fd++)
		copy_slot(op, table, fd);
	*place = table;
}

void thread_table_unshare(struct op *op)
{
	struct model *m = op->m;
	struct process *p = &m->process[op->process];
	uint32_t *own = &m->task[op->task].table, old = task_table(m, op->task);

	if (*own == ID_NONE && p->tasks > 1) {
		copy(op, own);
	} else if (m->table[old].users > 1) {
		copy(op, *own == ID_NONE ? &p->table : own);
		table_drop(m, old, NULL, NULL);
	}
	m->table[task_table(m, op->task)].is_unshared = true;
}

void thread_table_share(struct model *m, uint32_t parent, uint32_t child)
{
	uint32_t own = m->task[parent].table;

	if (own == ID_NONE || m->task[parent].process != m->task[child].process)
		return;
	m->task[child].table = own;
	m->table[own].users++;
}

/* No record of the child shows the copy, so the copies are emitted when the child begins, before its first call. */
void thread_table_start(struct model *m, uint32_t child, uint32_t process)
{
	struct op op = {.m = m, .task = child, .process = process, .time = m->now};

	if (m->task[child].process != process || !process_is_recorded(m, process) ||
	    m->task[child].call.id != CALL_ID_NONE)
		return;
	op.is_excluded = op_is_excluded(m, child, call_row(call_by_name("clone", strlen("clone"))));
	op.thread = op.is_excluded ? ID_NONE : task_location(m, child, m->now);
	thread_table_unshare(&op);
}

void thread_table_exec(struct op *op, table_emptied emptied)
{
	struct model *m = op->m;
	struct process *p = &m->process[op->process];
	uint32_t *own = &m->task[op->task].table, old = p->table;

	if (*own != ID_NONE) {
		p->table = *own;
		*own = ID_NONE;
		table_drop(m, old, emptied, op);
	}
	old = p->table;
	if (m->table[old].users > 1) {
		copy(op, &p->table);
		table_drop(m, old, NULL, NULL);
	}
}

void thread_table_end(struct model *m, uint32_t task, table_emptied emptied, void *context)
{
	uint32_t own = m->task[task].table;

	m->task[task].table = ID_NONE;
	if (own != ID_NONE)
		table_drop(m, own, emptied, context);
}
