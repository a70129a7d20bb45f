#include "handle.h"

#include "file/name_filter.h"

static uint64_t idle_hash(const struct model *m, process_id process, str_id name)
{
	const uint32_t key[] = {process, name};

	return hash_bytes(m->key, key, sizeof(key));
}

/* Returns the last destroyed handle of this process and name, or ID_NONE. */
static handle_id idle_find(const struct model *m, uint64_t hash, process_id process, str_id name)
{
	uint32_t at;
	handle_id id = index_first(&m->idle_handle, hash, &at);

	while (id != ID_NONE &&
	       (m->trace.handle[id].process != process || m->idle[id].name != name))
		id = index_next(&m->idle_handle, hash, &at);
	return id;
}

/* Handles of a deleted file do not belong to the file that has its path now. */
static bool is_deleted(const struct model *m, file_id file)
{
	return file != ID_NONE && m->trace.file[file].is_deleted;
}

/*
 * Returns a destroyed handle of this process and name for reuse, or ID_NONE. Readers merge locations by time, and two CPUs can
 * read the same time. So a handle that was destroyed in the nanosecond in which the new open begins is not reused.
 */
static handle_id idle_take(struct model *m, process_id process, str_id name, uint64_t time)
{
	uint64_t hash = idle_hash(m, process, name);
	handle_id id = idle_find(m, hash, process, name);

	if (id == ID_NONE || m->idle[id].since >= time)
		return ID_NONE;
	index_remove(&m->idle_handle, hash, id);
	if (m->idle[id].next != ID_NONE)
		index_add(&m->idle_handle, hash, m->idle[id].next);
	return id;
}

/* Only for handles that their creator has destroyed, because a child may still have an inherited one. */
void handle_set_idle(struct model *m, handle_id id, process_id destroyer, uint64_t time)
{
	process_id process = m->trace.handle[id].process;
	str_id name = m->trace.handle[id].name;

	if (destroyer != process || is_deleted(m, m->trace.handle[id].file))
		return;
	uint64_t hash = idle_hash(m, process, name);
	handle_id before = idle_find(m, hash, process, name);

	COLD_GROW(&m->area[AREA_IDLE], m->idle, m->idle_capacity, id + 1);
	m->idle[id] = (struct idle_handle){.next = before, .name = name, .since = time};
	if (before != ID_NONE)
		index_remove(&m->idle_handle, hash, before);
	index_add(&m->idle_handle, hash, id);
}

static handle_id handle_new(struct model *m, process_id process, uint32_t open, bool is_found)
{
	const struct description *d = open_description(m, open);

	COLD_GROW(&m->trace.handle_area, m->trace.handle, m->trace.handles_cap,
		  m->trace.handles + 1);
	m->trace.handle[m->trace.handles] = (struct trace_handle){
		.process = process,
		.file = d->file,
		.name = d->name,
		.is_pre_created = is_found,
		.is_all_proxy = m->open[open].is_all_proxy,
		.pre_flags = is_found && d->flags != UINT32_MAX ? d->flags : 0,
	};
	return m->trace.handles++;
}

/* Whether the name may still arrive: the descriptor has not been closed, and no look-up has failed. */
static bool is_awaited(const struct open *open, const struct description *d)
{
	return (d->state == NAME_AWAITED || d->state == NAME_TEXT) &&
	       (open->slots || open->is_coming);
}

/* Processes of the shared group may have any selection, so there path_filter decides for each record. */
static bool is_wanted(struct model *m, const struct open *o, str_id name)
{
	if (!m->has_names)
		return true;
	if (o->creator == ID_NONE || o->creator == m->shared_group)
		return name_is_wanted_by_any(m, name);
	return name_is_wanted(m, m->trace.process[o->creator].selection, name);
}

/*
 * If a name is still missing at the time limit, the open gets a new handle, which can be named later. A handle without a name is
 * reused only for an open that can never get a name.
 */
bool handle_assign_new(struct model *m, uint32_t open, bool is_due)
{
	struct open *o = &m->open[open];
	struct description *d = &m->description[o->description];
	bool is_early = is_awaited(o, d);
	handle_id id = ID_NONE;

	if (is_early && !is_due)
		return false;
	m->is_unblocked = true;
	o->is_excluded = !is_wanted(m, o, d->name);
	if (o->is_excluded)
		return true;
	d->is_early |= is_early;
	if (!o->is_found && !(is_early && d->state == NAME_AWAITED) && !is_deleted(m, d->file))
		id = idle_take(m, o->creator, d->name, o->born);
	o->handle = id != ID_NONE ? id : handle_new(m, o->creator, open, o->is_found);
	return true;
}

/*
 * Whether the process inherited the opens of the creator. Members of the shared group may be children of any process, and
 * processes outside of it are never children of members.
 */
static bool inherits_from(const struct model *m, process_id process, process_id creator)
{
	if (process == m->shared_group)
		return true;
	while (process != creator && process != ID_NONE)
		process = m->trace.process[process].parent;
	return process == creator;
}

static handle_id own_handle(struct model *m, process_id process, uint32_t open)
{
	uint32_t own = pool_take(&m->shares, &m->share, sizeof(*m->share));
	struct open *o = &m->open[open];

	m->share[own] = (struct share){.process = process, .next = o->share};
	m->share[own].handle = handle_new(m, process, open, true);
	o->share = own;
	return m->share[own].handle;
}

handle_id handle_of(struct model *m, process_id process, uint32_t open)
{
	const struct open *o = &m->open[open];

	if (o->handle == ID_NONE) /* its records are excluded */
		return ID_NONE;
	if (o->creator == process || o->is_found || inherits_from(m, process, o->creator))
		return o->handle;
	for (uint32_t i = o->share; i != ID_NONE; i = m->share[i].next)
		if (m->share[i].process == process)
			return m->share[i].handle;
	return own_handle(m, process, open);
}

static void name(struct trace_handle *handle, const struct description *d)
{
	if (handle->name)
		return;
	handle->name = d->name;
	handle->file = d->file;
}

void handle_release(struct model *m, uint32_t open)
{
	uint32_t next;

	for (uint32_t i = m->open[open].share; i != ID_NONE; i = next) {
		next = m->share[i].next;
		pool_give(&m->shares, i);
	}
	m->open[open].share = ID_NONE;
}

void handle_named(struct model *m, uint32_t description)
{
	const struct description *d = &m->description[description];

	m->is_unblocked = true;
	for (uint32_t i = 0; d->is_early && i < m->opens.count; i++) {
		const struct open *o = &m->open[i];

		if (!o->holders || o->description != description || o->handle == ID_NONE)
			continue;
		name(&m->trace.handle[o->handle], d);
		for (uint32_t own = o->share; own != ID_NONE; own = m->share[own].next)
			name(&m->trace.handle[m->share[own].handle], d);
	}
}
