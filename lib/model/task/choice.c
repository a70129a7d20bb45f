#include "choice.h"

#include "fd/position.h"

#include <fnmatch.h>
#include <stdlib.h>

static const struct selection *selection_of(const struct model *m, uint32_t process)
{
	return &m->selection[m->process[process].selection];
}

void choice_reach(struct model *m, uint32_t selection)
{
	MEM_GROW(m->selection, m->selection_cap, selection + 1);
	while (m->selections <= selection)
		m->selection[m->selections++] = (struct selection){.names = NULL};
	m->choice.is_ours = m->selections > 1;
}

void choice_add_comm(struct model *m, uint32_t selection, str_id glob)
{
	struct selection *s = &m->selection[selection];

	MEM_GROW(s->comm, s->comm_cap, s->comms + 1);
	s->comm[s->comms++] = glob;
}

bool choice_is_partial(const struct model *m, uint32_t process)
{
	return selection_of(m, process)->comms != 0 || m->choice.has_users;
}

/* For calls, the kernel compares the names of the tasks. Block requests come from all tasks, so their names are compared here. */
bool choice_wants_comm(const struct model *m, uint32_t process, str_id name)
{
	const struct selection *s = selection_of(m, process);

	for (uint32_t i = 0; i < s->comms; i++)
		if (!fnmatch(strtab_text(m->trace.strings, s->comm[i]),
			     strtab_text(m->trace.strings, name), 0))
			return true;
	return !s->comms;
}

/* A task that is not recorded may move positions without records. */
void choice_note(struct model *m, uint32_t task, const struct event *event)
{
	struct task *t = &m->task[task];

	if (event->choice == CHOICE_UNKNOWN || event->choice == t->choice)
		return;
	t->choice = event->choice;
	if (event->choice == CHOICE_OUT)
		position_share_table(m, task_table(m, task));
}

/*
 * With --uid, all commands have the same names, and the kernel decides for all tasks. Otherwise, without a decision of the
 * kernel, the name decides. A task whose name is not yet known is excluded.
 */
bool choice_leaves_out(const struct model *m, uint32_t task)
{
	const struct task *t = &m->task[task];

	if (t->choice != CHOICE_UNKNOWN && (!m->choice.is_ours || m->choice.has_users))
		return t->choice == CHOICE_OUT;
	return selection_of(m, t->process)->comms &&
	       (!t->name || !choice_wants_comm(m, t->process, t->name));
}

bool choice_skips_end(const struct model *m, uint32_t task, call_id call)
{
	uint32_t group = 1U << call_row(call)->group;
	uint32_t groups = selection_of(m, m->task[task].process)->groups;

	return m->choice.is_ours && !(group & CALL_GROUPS_ALWAYS) &&
	       ((groups && !(group & groups)) || choice_leaves_out(m, task));
}

bool choice_skips_begin(struct model *m, uint32_t task, call_id call)
{
	bool is_skipped = choice_skips_end(m, task, call);

	tally_add(m->tally, unchosen, is_skipped);
	return is_skipped;
}

void choice_release(struct model *m)
{
	for (uint32_t i = 0; i < m->selections; i++)
		free(m->selection[i].comm);
	free(m->selection);
}
