#include "position.h"

void position_share(struct model *m, struct description *d)
{
	if (!d->is_shared)
		d->append_changes = m->append_changes;
	d->is_shared = true;
}

/* Descriptors that are added to the table later were not sent before: table_set() resets is_shared. */
void position_share_table(struct model *m, uint32_t table)
{
	struct table *t = &m->table[table];

	for (uint32_t fd = 0; !t->is_shared && fd < t->capacity; fd++)
		if (t->slot[fd].open != ID_NONE)
			position_share(m, open_description(m, t->slot[fd].open));
	t->is_shared = true;
}

void position_share_all(struct model *m)
{
	for (uint32_t i = 0; i < m->descriptions.count; i++)
		if (m->description[i].holders)
			position_share(m, &m->description[i]);
}

void position_pass(struct model *m, uint32_t table, uint32_t socket)
{
	if (socket == ID_NONE || !open_description(m, socket)->is_network)
		position_share_table(m, table);
}

/* If the description is shared, others may be the same one: a process that received it has an open of its own. */
static void append_may_have_changed(struct model *m)
{
	m->append_changes++;
}

void position_set_flags(struct model *m, uint32_t open, uint32_t flags)
{
	const uint32_t settable = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK;

	if (open == ID_NONE) {
		append_may_have_changed(m);
		return;
	}
	struct description *d = open_description(m, open);
	bool is_known = flags != UINT32_MAX && d->flags != UINT32_MAX && !position_may_append(m, d);

	if (d->is_shared && !(is_known && !((d->flags ^ flags) & O_APPEND)))
		append_may_have_changed(m);
	d->may_append = flags == UINT32_MAX;
	d->append_changes = m->append_changes;
	if (flags != UINT32_MAX && d->flags != UINT32_MAX)
		d->flags = (d->flags & ~settable) | (flags & settable);
}
