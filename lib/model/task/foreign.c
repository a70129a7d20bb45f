#include "foreign.h"

#include "choice.h"
#include "fd/fdtable.h"
#include "fd/position.h"
#include "task.h"

/* Perf delivers only those 32-bit calls whose number is that of a chosen 64-bit call. So the processes are counted as well. */
static void count_process(struct model *m, uint32_t process)
{
	struct process *p = &m->process[process];
	uint32_t task = task_find(m, p->pid);

	if (p->is_foreign_counted || !process_is_recorded(m, process) ||
	    (task != MAP_NONE && choice_leaves_out(m, task)))
		return;
	p->is_foreign_counted = true;
	tally_add(m->tally, foreign_processes, 1);
}

void foreign_set(struct model *m, uint32_t process, bool is_foreign)
{
	struct process *p = &m->process[process];

	if (is_foreign) {
		position_share_table(m, p->table);
		count_process(m, process);
	}
	if (p->is_foreign && !is_foreign)
		table_doubt(m, p->table, DOUBT_FOREIGN);
	p->is_foreign = is_foreign;
}

/* BPF reports each call of such a process. Without BPF, it is unknown whether the process made any call. */
void foreign_found(struct model *m, uint32_t process, bool is_foreign)
{
	m->process[process].is_foreign |= is_foreign;
	if (is_foreign && m->trace.host.source != TRACE_SOURCE_BPF)
		count_process(m, process);
}

void foreign_program(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, event->pid);

	if (process != MAP_NONE)
		foreign_set(m, process, event->program.is_foreign);
}

void foreign_call(struct model *m, uint32_t task)
{
	tally_add(m->tally, foreign_calls, 1);
	count_process(m, m->task[task].process);
}

/* A 64-bit program may make 32-bit calls, too: with any number, and with any descriptor. */
void foreign_event(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	const struct process *p = &m->process[m->task[task].process];

	if (!process_is_recorded(m, m->task[task].process))
		return;
	if (p->is_foreign) {
		foreign_call(m, task);
		return;
	}
	tally_add(m->tally, foreign_apart, 1);
	table_doubt(m, task_table(m, task), DOUBT_FOREIGN);
}
