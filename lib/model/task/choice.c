#include "choice.h"

#include "fd/position.h"

#include <fnmatch.h>

void choice_add_comm(struct model *m, str_id glob)
{
	struct choice *c = &m->choice;

	MEM_GROW(c->comm, c->comm_cap, c->comms + 1);
	c->comm[c->comms++] = glob;
}

bool choice_has_comms(const struct model *m)
{
	return m->choice.comms != 0;
}

bool choice_is_partial(const struct model *m)
{
	return m->choice.comms != 0 || m->choice.has_users;
}

/* The kernel matches the names of those who make calls; requests come from all, and are matched here. */
bool choice_wants_comm(const struct model *m, str_id name)
{
	const struct choice *c = &m->choice;

	for (uint32_t i = 0; i < c->comms; i++)
		if (!fnmatch(strtab_text(m->trace.strings, c->comm[i]),
			     strtab_text(m->trace.strings, name), 0))
			return true;
	return !c->comms;
}

/* What a task does that is not wanted moves positions unseen. */
void choice_note(struct model *m, uint32_t task, const struct event *event)
{
	struct task *t = &m->task[task];

	if (event->choice == CHOICE_UNKNOWN || event->choice == t->choice)
		return;
	t->choice = event->choice;
	if (event->choice == CHOICE_OUT)
		position_share_table(m, task_table(m, task));
}

/* Where the kernel does not say it, the name decides; nobody has asked for a task whose name is not known yet. */
bool choice_leaves_out(const struct model *m, uint32_t task)
{
	const struct task *t = &m->task[task];

	if (t->choice != CHOICE_UNKNOWN)
		return t->choice == CHOICE_OUT;
	return choice_has_comms(m) && (!t->name || !choice_wants_comm(m, t->name));
}
