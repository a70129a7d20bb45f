/*
 * share: handles of processes that have a descriptor in common. See share.h.
 */
#include "share.h"

#include "fdtable.h"
#include "settle.h"

/*
 * Whether the process has what its creator had, as it came from it. The crowd may come from anybody, and nobody outside of
 * it comes from there.
 */
static bool is_heir(const struct model *m, process_id process, process_id creator)
{
	if (process == m->crowd)
		return true;
	while (process != creator && process != ID_NONE)
		process = m->group[process].parent;
	return process == creator;
}

static handle_id own_handle(struct model *m, process_id process, uint32_t open)
{
	uint32_t own = pool_take(&m->shares, &m->share, sizeof(*m->share));
	struct open *o = &m->open[open];

	m->share[own] = (struct share){.process = process, .next = o->share};
	m->share[own].handle = settle_found(m, process, open);
	o->share = own;
	return m->share[own].handle;
}

handle_id share_handle(struct model *m, process_id process, uint32_t open)
{
	const struct open *o = &m->open[open];

	if (o->creator == process || o->is_found || is_heir(m, process, o->creator))
		return o->handle;
	for (uint32_t i = o->share; i != ID_NONE; i = m->share[i].next)
		if (m->share[i].process == process)
			return m->share[i].handle;
	return own_handle(m, process, open);
}

void share_named(struct model *m, uint32_t open)
{
	const struct description *d = open_description(m, open);

	for (uint32_t i = m->open[open].share; i != ID_NONE; i = m->share[i].next) {
		struct model_handle *handle = &m->handle[m->share[i].handle];

		if (handle->name)
			continue;
		handle->name = d->name;
		handle->file = d->file;
	}
}

void share_end(struct model *m, uint32_t open)
{
	uint32_t next;

	for (uint32_t i = m->open[open].share; i != ID_NONE; i = next) {
		next = m->share[i].next;
		pool_give(&m->shares, i);
	}
	m->open[open].share = ID_NONE;
}
