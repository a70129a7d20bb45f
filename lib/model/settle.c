/*
 * settle: io_events leave when the handles in them have their final id. See settle.h.
 */
#include "settle.h"

#include "aio_op.h"
#include "aio_out.h"
#include "fdtable.h"
#include "keep.h"
#include "lane.h"
#include "share.h"

#include <stdlib.h>

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

	while (id != ID_NONE && (m->handle[id].process != process || m->idle[id].name != name))
		id = index_next(&m->idle_handle, hash, &at);
	return id;
}

/* Its handles are not those of the file that has its path now. */
static bool is_deleted(const struct model *m, file_id file)
{
	return file != ID_NONE && m->file[file].is_deleted;
}

/*
 * Returns a destroyed handle of this process and name to be used again, or ID_NONE. Locations are merged by time, and two
 * CPUs can read the same: a handle that ends at the nanosecond at which it would begin has to rest.
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

/* Only what the creator itself destroyed: a child may still hold the handle that it inherited. */
static void idle_give(struct model *m, handle_id id, uint64_t time)
{
	process_id process = m->handle[id].process;
	str_id name = m->handle[id].name;
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

	COLD_GROW(&m->area[AREA_HANDLES], m->handle, m->handles_cap, m->handles + 1);
	m->handle[m->handles] = (struct model_handle){
		.process = process,
		.file = d->file,
		.name = d->name,
		.is_pre_created = is_found,
		.is_all_proxy = m->open[open].is_all_proxy,
		.pre_flags = is_found && d->flags != UINT32_MAX ? d->flags : 0,
	};
	return m->handles++;
}

handle_id settle_found(struct model *m, process_id process, uint32_t open)
{
	return handle_new(m, process, open, true);
}

/*
 * Returns whether the open has its handle now. A name that is still awaited when time is up gives a new
 * handle, which can learn its name later; a handle without a name is only used again for one that can never
 * get one.
 */
static bool settle_late(struct model *m, uint32_t open, uint64_t time, bool is_forced)
{
	struct open *o = &m->open[open];
	struct description *d = &m->description[o->description];
	bool is_awaited = (d->state == NAME_AWAITED || d->state == NAME_TEXT) &&
			  (o->slots || o->is_coming);

	if (is_awaited && !is_forced)
		return false;
	handle_id id = ID_NONE;

	o->is_unwanted = !keep_name(m, d->name);
	if (o->is_unwanted)
		return true;
	d->is_early |= is_awaited;
	if (!o->is_found && !(is_awaited && d->state == NAME_AWAITED) && !is_deleted(m, d->file))
		id = idle_take(m, o->creator, d->name, time);
	o->handle = id != ID_NONE ? id : handle_new(m, o->creator, open, o->is_found);
	return true;
}

/* Nearly every event concerns a handle that was settled long ago. */
static inline bool settle_open(struct model *m, uint32_t open, uint64_t time, bool is_forced)
{
	return open == ID_NONE || m->open[open].handle != ID_NONE || m->open[open].is_unwanted ||
	       settle_late(m, open, time, is_forced);
}

void settle_now(struct model *m, uint32_t open, uint64_t time)
{
	settle_open(m, open, time, true);
}

void settle_named(struct model *m, uint32_t description)
{
	const struct description *d = &m->description[description];

	for (uint32_t i = 0; d->is_early && i < m->opens.count; i++) {
		const struct open *o = &m->open[i];

		if (!o->holders || o->description != description || o->handle == ID_NONE)
			continue;
		if (!m->handle[o->handle].name) {
			m->handle[o->handle].name = d->name;
			m->handle[o->handle].file = d->file;
		}
		share_named(m, i);
	}
}

/* What was open before recording belongs to the process that is seen to use it first. */
static void settle_creator(struct model *m, const struct io_event *event, uint32_t open)
{
	if (open != ID_NONE && m->open[open].creator == ID_NONE)
		m->open[open].creator = m->thread[event->thread].process;
}

static bool settle_aio(struct model *m, const struct waiting *w, bool is_forced)
{
	if (w->aio == ID_NONE)
		return true;
	if (is_forced)
		aio_give_up(m, w->aio);
	const struct aio_op *op = &m->aio.op[w->aio];

	if (!op->is_decided)
		return false;
	settle_creator(m, &w->event, op->open);
	return settle_open(m, op->open, w->event.time, is_forced);
}

static bool settle(struct model *m, const struct waiting *w, bool is_forced)
{
	return settle_open(m, w->open, w->event.time, is_forced) &&
	       settle_open(m, w->open2, w->event.time, is_forced) && settle_aio(m, w, is_forced);
}

/* Flags of an open that only a look-up could tell. */
static void create_flags(struct model *m, struct io_event *event, uint32_t open)
{
	uint32_t flags = open_description(m, open)->flags;

	event->create.flags = flags == UINT32_MAX ? 0 : flags;
}

/* What is not kept has no handle. */
static handle_id handle_of(struct model *m, const struct io_event *event, uint32_t open)
{
	if (m->open[open].handle == ID_NONE)
		return ID_NONE;
	return share_handle(m, m->thread[event->thread].process, open);
}

/* The path of O_TMPFILE is a directory, and the file that it makes there has no name. */
static file_id named_file(struct model *m, uint32_t open)
{
	const struct description *d = open_description(m, open);

	return description_is_nameless(d) ? ID_NONE : d->file;
}

/* Fills in the ids of the handles and hands the event out. */
static void settle_output(struct model *m, const struct waiting *w)
{
	struct io_event copy = w->event, *event = &copy;
	uint32_t open = w->open, open2 = w->open2;

	if (w->aio != ID_NONE && m->aio.op[w->aio].is_void)
		return;
	if (w->aio != ID_NONE) {
		open = m->aio.op[w->aio].open;
		m->aio.op[w->aio].is_told = true;
		if (event->kind == IO_OP_BEGIN && m->aio.op[w->aio].is_elsewhere)
			event->op.offset = IO_OFFSET_UNKNOWN;
	}
	if (open != ID_NONE)
		event->handle = handle_of(m, event, open);
	if (open != ID_NONE && event->kind == IO_CREATE_HANDLE && event->create.flags == UINT32_MAX)
		create_flags(m, event, open);
	if (open2 != ID_NONE && event->kind == IO_ENTER)
		event->region.file = named_file(m, open2);
	else if (open2 != ID_NONE)
		event->duplicate.new_handle = handle_of(m, event, open2);
	if (!keep_event(m, event, open))
		return;
	m->output(m->context, event);
	if (event->kind == IO_DESTROY_HANDLE && !is_deleted(m, m->handle[event->handle].file) &&
	    m->thread[event->thread].process == m->handle[event->handle].process)
		idle_give(m, event->handle, event->time);
}

static struct waiting *queue_at(struct model *m, uint32_t index)
{
	return &m->queue[(m->queue_head + index) & (m->queue_capacity - 1)];
}

static void queue_grow(struct model *m)
{
	uint32_t capacity = m->queue_capacity ? 2 * m->queue_capacity : 256;
	struct waiting *queue = mem_array(capacity, sizeof(*queue));

	for (uint32_t i = 0; i < m->queue_count; i++)
		queue[i] = *queue_at(m, i);
	free(m->queue);
	m->queue = queue;
	m->queue_capacity = capacity;
	m->queue_head = 0;
}

/* A waiting event holds its opens, and has the values of a metric for its own. */
static void queue_add(struct model *m, const struct waiting *waiting)
{
	if (m->queue_count == m->queue_capacity)
		queue_grow(m);
	struct waiting *w = queue_at(m, m->queue_count++);

	*w = *waiting;
	open_hold(m, w->open);
	open_hold(m, w->open2);
	aio_hold(m, w->aio);
	if (w->event.kind == IO_METRIC)
		w->event.metric.counter = mem_dup(w->event.metric.counter,
						  w->event.metric.counters *
							  sizeof(*w->event.metric.counter));
}

void settle_put(struct model *m, const struct waiting *w)
{
	settle_creator(m, &w->event, w->open);
	if (!m->queue_count && settle(m, w, false))
		settle_output(m, w);
	else
		queue_add(m, w);
}

void settle_push(struct model *m, struct io_event *event, uint32_t open, uint32_t open2)
{
	lane_pass(m, event);
	if (event->thread != ID_NONE)
		settle_reach(m, event->thread, event->time);
	settle_put(m, &(struct waiting){*event, open, open2, ID_NONE});
}

void settle_run(struct model *m, bool is_forced)
{
	while (m->queue_count) {
		struct waiting *w = queue_at(m, 0);
		bool is_due = is_forced || m->queue_count > QUEUE_LIMIT ||
			      w->event.time + NAME_WAIT_NS < m->now;

		if (!settle(m, w, is_due))
			return;
		struct waiting out = *w;

		m->queue_head = (m->queue_head + 1) & (m->queue_capacity - 1);
		m->queue_count--;
		settle_output(m, &out);
		open_drop(m, out.open);
		open_drop(m, out.open2);
		aio_drop(m, out.aio);
		if (out.event.kind == IO_METRIC)
			free((void *)out.event.metric.counter);
	}
}
