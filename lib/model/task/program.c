#include "program.h"

#include "location.h"
#include "task.h"

#include <assert.h>

/* Returns the group of this process alone, or NULL. */
static struct trace_process *own_group(struct model *m, uint32_t process)
{
	process_id group = m->process[process].group;

	return group == ID_NONE || group == m->shared_group ? NULL : &m->trace.process[group];
}

void program_set(struct model *m, uint32_t process, const struct words *words)
{
	struct trace_process *group = own_group(m, process);
	struct process *p = &m->process[process];
	uint32_t length = words->length;

	if (!length || location_is_in_shared_group(m, process))
		return;
	length -= !words->is_cut && !words->at[length - 1];
	p->argv = model_string(m, words->at, length);
	p->is_argv_cut = words->is_cut;
	if (!group)
		return;
	group->argv = p->argv;
	group->is_argv_cut = p->is_argv_cut;
}

/* The recorded command keeps the arguments that the user typed; a script gets others from the kernel. */
void program_arguments(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, event->pid);

	if (process != MAP_NONE && !m->process[process].is_argv_typed)
		program_set(m, process,
			    &(struct words){event->arguments.words.at,
					    event->arguments.words.length,
					    event->arguments.is_cut});
}

/* Whether a thread of the process may have executed a program whose COMM record has not come yet. */
static bool may_execute(const struct model *m, uint32_t process)
{
	for (uint32_t i = 0; i < m->tasks.count; i++) {
		const struct task *t = &m->task[i];

		if (t->process == process && t->call.id != CALL_ID_NONE &&
		    call_row(t->call.id)->kind == CALL_EXEC &&
		    t->call.enter > m->process[process].executed)
			return true;
	}
	return false;
}

void program_found(struct model *m, uint32_t process, uint64_t t0, const struct words *words)
{
	const struct process *p = &m->process[process];

	if (!words->length || p->is_argv_typed)
		return;
	if (p->executed >= t0 || may_execute(m, process))
		tally_add(m->tally, lookups_refused, 1);
	else
		program_set(m, process, words);
}

static bool is_of_rank(const struct model *m, process_id parent, const struct trace_rank *rank)
{
	const struct trace_rank *known;

	if (parent == ID_NONE)
		return false;
	known = &m->trace.process[parent].rank;
	return known->is_known && known->number == rank->number;
}

/* Children that the process created after its exec, before its environment was looked up, have the same rank. */
static void rank_children(struct model *m, process_id group, uint64_t since,
			  const struct trace_rank *rank)
{
	for (process_id id = group + 1; id < m->trace.processes; id++) {
		struct trace_process *child = &m->trace.process[id];

		if (!child->rank.is_known && child->begin >= since &&
		    is_of_rank(m, child->parent, rank))
			child->rank = *rank;
	}
	for (uint32_t i = 0; i < m->processes.count; i++) {
		struct process *child = &m->process[i];

		if (!child->rank.is_known && child->begin >= since && child->begin &&
		    is_of_rank(m, child->parent, rank))
			child->rank = *rank;
	}
}

void program_set_rank(struct model *m, uint32_t process, uint64_t t0, const struct trace_rank *rank)
{
	struct trace_process *group = own_group(m, process);
	struct process *p = &m->process[process];
	bool is_same = p->rank.is_known && p->rank.number == rank->number && p->rank.of == rank->of;

	if (!rank->is_known || is_same || p->executed >= t0 || may_execute(m, process))
		return;
	p->rank = *rank;
	if (!group)
		return;
	group->rank = *rank;
	rank_children(m, p->group, p->executed, rank);
}

void program_begin(struct model *m, uint32_t process)
{
	struct trace_process *group = own_group(m, process);
	struct process *p = &m->process[process];

	p->executed = m->now;
	if (p->is_prelude)
		return;
	p->argv = 0;
	p->is_argv_cut = p->is_argv_typed = false;
	if (!group)
		return;
	group->argv = 0;
	group->is_argv_cut = false;
}

void program_status(struct model *m, const struct event *event)
{
	uint32_t process = process_find(m, event->pid);

	if (process != MAP_NONE)
		m->process[process].status = event->status;
}

void program_end(struct model *m, uint32_t process)
{
	struct trace_process *group = own_group(m, process);
	struct process *p = &m->process[process];
	bool is_awaited = p->status < 0 && p->pid == m->command_pid && m->command_pid;

	if (group) {
		group->end = m->now;
		group->status = p->status;
	}
	if (p->leader == ID_NONE || !p->begin)
		return;
	if (!is_awaited) {
		location_end_program(m, p->leader, m->now, p->status);
		return;
	}
	program_end_command(m, -1); /* its number was reused */
	m->command_end = m->now;
	m->command_leader = p->leader;
}

void program_end_command(struct model *m, int32_t status)
{
	if (m->command_leader == ID_NONE)
		return;
	assert(m->trace.process); /* every thread has a process */
	m->trace.process[m->trace.thread[m->command_leader].process].status = status;
	location_end_program(m, m->command_leader, m->command_end, status);
	m->command_leader = ID_NONE;
}

void program_add_command(struct model *m, const struct process *p)
{
	MEM_GROW(m->trace.command, m->trace.commands_cap, m->trace.commands + 1);
	m->trace.command[m->trace.commands++] = (struct trace_command){.pid = p->pid,
								       .rank = p->rank,
								       .argv = p->argv,
								       .selection = p->selection,
								       .status = -1};
}

/* Finds the last command with this number, because numbers are reused. */
void program_set_status(struct model *m, uint64_t pid, int32_t status)
{
	for (uint32_t i = m->trace.commands; i--;)
		if (m->trace.command[i].pid == pid) {
			m->trace.command[i].status = status;
			return;
		}
}
