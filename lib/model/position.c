/*
 * position: whose position the stream may not show all moves of. See position.h.
 */
#include "position.h"

#include "fdtable.h"

/* What is added to the table later is not in what was sent before: table_set() says that there is more. */
void position_share_table(struct model *m, uint32_t table)
{
	struct table *t = &m->table[table];

	for (uint32_t fd = 0; !t->is_shared && fd < t->capacity; fd++)
		if (t->slot[fd].open != ID_NONE)
			open_description(m, t->slot[fd].open)->is_shared = true;
	t->is_shared = true;
}

void position_share_all(struct model *m)
{
	for (uint32_t i = 0; i < m->descriptions.count; i++)
		m->description[i].is_shared |= m->description[i].holders != 0;
}

void position_pass(struct model *m, uint32_t table, uint32_t socket)
{
	if (socket == ID_NONE || !open_description(m, socket)->is_network)
		position_share_table(m, table);
}
