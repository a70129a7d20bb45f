/*
 * thread_table: the descriptors of a thread that does not share those of its process. See thread_table.h.
 */
#include "thread_table.h"

#include "location.h"
#include "settle.h"
#include "task.h"

#include <fcntl.h>

uint32_t process_table(const struct model *m, uint32_t process)
{
	uint32_t leader = task_find(m, m->process[process].pid);

	return leader != MAP_NONE && m->task[leader].process == process ? task_table(m, leader)
									: m->process[process].table;
}

/* What is doubtful would only be a name that is wrong in two places. */
static void copy_slot(struct model *m, uint32_t task, uint64_t time, uint32_t table, uint32_t fd)
{
	const struct slot from = *table_slot(m, task_table(m, task), fd);
	struct io_event event = {.kind = IO_DUPLICATE_HANDLE, .time = time, .handle = ID_NONE};

	if (from.open == ID_NONE || from.is_doubtful)
		return;
	uint32_t open = open_new(m, m->open[from.open].description,
				 process_group(m, m->task[task].process));

	event.duplicate.flags = from.is_cloexec ? O_CLOEXEC : 0;
	event.thread = task_location(m, task, time);
	if (table_set(m, table, fd, open, from.is_cloexec))
		m->table[table].slot[fd].changed = from.changed;
	settle_push(m, &event, from.open, open);
	open_drop(m, open);
}

/* A copy of the table that the thread uses, where it is said that it uses it. */
static void copy(struct model *m, uint32_t task, uint64_t time, uint32_t *place)
{
	uint32_t from = task_table(m, task), table = table_new(m);

	for (uint32_t fd = 0; fd < m->table[from].capacity; fd++)
		copy_slot(m, task, time, table, fd);
	*place = table;
}

void thread_table_unshare(struct model *m, uint32_t task, uint64_t time)
{
	struct process *p = &m->process[m->task[task].process];
	uint32_t *own = &m->task[task].table, old = task_table(m, task);

	if (*own == ID_NONE && p->tasks > 1) {
		copy(m, task, time, own);
	} else if (m->table[old].users > 1) {
		copy(m, task, time, *own == ID_NONE ? &p->table : own);
		table_drop(m, old, NULL, NULL);
	}
}

void thread_table_exec(struct model *m, uint32_t task, uint64_t time, table_emptied emptied,
		       void *context)
{
	struct process *p = &m->process[m->task[task].process];
	uint32_t *own = &m->task[task].table, old = p->table;

	if (*own != ID_NONE) {
		p->table = *own;
		*own = ID_NONE;
		table_drop(m, old, emptied, context);
	}
	old = p->table;
	if (m->table[old].users > 1) {
		copy(m, task, time, &p->table);
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
