#include "outbox.h"

#include "fd/fdtable.h"
#include "fd/handle.h"
#include "path_filter.h"

#include <stdlib.h>

enum {
	OUT_NAME_NS = 200000000, /* maximum time that an event waits for a name */
	/* The same for the size of a block request, or the file of an asynchronous request. */
	OUT_LONG_S = 30,
};

void out_hold_request(struct model *m, uint32_t request)
{
	if (request != ID_NONE)
		m->aio.op[request].holders++;
}

void out_drop_request(struct model *m, uint32_t request)
{
	if (request == ID_NONE || --m->aio.op[request].holders)
		return;
	open_drop(m, m->aio.op[request].open);
	open_drop(m, m->aio.op[request].closed);
	pool_give(&m->aio.ops, request);
}

static struct out_location *location_of(struct model *m, thread_id location)
{
	MEM_GROW(m->out.location, m->out.locations, location + 1);
	return &m->out.location[location];
}

static struct waiting *ring_at(const struct out_ring *ring, uint32_t index)
{
	return &ring->at[(ring->head + index) & (ring->capacity - 1)];
}

static void ring_grow(struct out_ring *ring)
{
	uint32_t capacity = ring->capacity ? 2 * ring->capacity : 16;
	struct waiting *at = mem_array(capacity, sizeof(*at));

	for (uint32_t i = 0; i < ring->count; i++)
		at[i] = *ring_at(ring, i);
	free(ring->at);
	*ring = (struct out_ring){.at = at, .count = ring->count, .capacity = capacity};
}

static void ring_add(struct out_ring *ring, const struct waiting *w)
{
	if (ring->count == ring->capacity)
		ring_grow(ring);
	*ring_at(ring, ring->count++) = *w;
}

static struct waiting ring_take(struct out_ring *ring)
{
	struct waiting first = *ring_at(ring, 0);

	ring->head = (ring->head + 1) & (ring->capacity - 1);
	ring->count--;
	return first;
}

/* Returns the field of the event that says what is known of its span, or NULL if it has no span. */
static const struct io_span **span_of(const struct model *m, struct io_event *event)
{
	bool is_region = event->kind == IO_ENTER || event->kind == IO_LEAVE;
	bool is_op = event->kind >= IO_OP_BEGIN && event->kind <= IO_OP_CANCELLED;

	if (!m->trace.spans)
		return NULL;
	if (is_region && m->trace.region[event->region.id].source == REGION_SPAN)
		return &event->region.span;
	return is_op && event->handle < m->trace.handles && m->trace.handle[event->handle].is_span
		       ? &event->op.span
		       : NULL;
}

/* A waiting event holds the objects that it names, and has copies of the values of a metric and of what is known of a span. */
static void hold(struct model *m, struct waiting *w)
{
	const struct io_span **span = span_of(m, &w->event);

	open_hold(m, w->open);
	open_hold(m, w->open2);
	out_hold_request(m, w->aio);
	if (w->event.kind == IO_METRIC)
		w->event.metric.counter = mem_dup(w->event.metric.counter,
						  w->event.metric.counters *
							  sizeof(*w->event.metric.counter));
	if (span && *span)
		*span = mem_dup(*span, sizeof(**span));
	m->out.waiting++;
}

static void drop(struct model *m, struct waiting *w)
{
	const struct io_span **span = span_of(m, &w->event);

	open_drop(m, w->open);
	open_drop(m, w->open2);
	out_drop_request(m, w->aio);
	if (w->event.kind == IO_METRIC)
		free((void *)w->event.metric.counter);
	if (span)
		free((void *)(uintptr_t)*span);
	m->out.waiting--;
}

/* A handle that was open before the recording belongs to the process that is first seen to use it. */
static void set_creator(struct model *m, const struct io_event *event, uint32_t open)
{
	if (open != ID_NONE && m->open[open].creator == ID_NONE)
		m->open[open].creator = m->trace.thread[event->thread].process;
}

static bool is_request_ready(struct model *m, const struct waiting *w, bool is_due)
{
	if (w->aio == ID_NONE)
		return true;
	const struct aio_op *op = &m->aio.op[w->aio];

	if (!op->is_decided)
		return false;
	set_creator(m, &w->event, op->open);
	return handle_assign(m, op->open, is_due);
}

/* Gives the event its handles if they are known. is_due: uses whatever is known. */
static bool is_ready(struct model *m, const struct waiting *w, bool is_due)
{
	return (!w->is_growing || is_due) && handle_assign(m, w->open, is_due) &&
	       handle_assign(m, w->open2, is_due) && is_request_ready(m, w, is_due);
}

/* With O_TMPFILE, the path is that of the directory, and the new file has no name. */
static file_id named_file(struct model *m, uint32_t open)
{
	const struct description *d = open_description(m, open);

	return description_is_nameless(d) ? ID_NONE : d->file;
}

/* Returns the flags of an open, if a look-up has found them. */
static uint32_t known_flags(struct model *m, uint32_t open)
{
	uint32_t flags = open_description(m, open)->flags;

	return flags == UINT32_MAX ? 0 : flags;
}

static void fill_in(struct model *m, const struct waiting *w, struct io_event *event, uint32_t open)
{
	process_id process = event->thread == ID_NONE ? ID_NONE
						      : m->trace.thread[event->thread].process;

	if (open != ID_NONE)
		event->handle = handle_of(m, process, open);
	if (open != ID_NONE && event->kind == IO_CREATE_HANDLE && event->create.flags == UINT32_MAX)
		event->create.flags = known_flags(m, open);
	if (w->open2 != ID_NONE && event->kind == IO_ENTER)
		event->region.file = named_file(m, w->open2);
	else if (w->open2 != ID_NONE)
		event->duplicate.new_handle = handle_of(m, process, w->open2);
}

/* Returns the open of the request, and notes that its BEGIN has left the outbox. */
static uint32_t open_of_request(struct model *m, struct io_event *event, uint32_t request)
{
	struct aio_op *op = &m->aio.op[request];

	op->is_begin_out = true;
	if (event->kind == IO_OP_BEGIN && op->is_elsewhere)
		event->op.offset = IO_OFFSET_UNKNOWN;
	return op->open;
}

/* The event is final, and leaves the model. */
static void send_final(struct model *m, const struct waiting *w)
{
	struct io_event event = w->event;
	uint32_t open = w->open;

	if (w->is_discarded || (w->aio != ID_NONE && m->aio.op[w->aio].is_discarded))
		return;
	if (w->aio != ID_NONE)
		open = open_of_request(m, &event, w->aio);
	fill_in(m, w, &event, open);
	if (!path_filter_passes(m, &event, open))
		return;
	out_send(m, &event);
	if (event.kind == IO_DESTROY_HANDLE)
		handle_set_idle(m, event.handle, m->trace.thread[event.thread].process, event.time);
}

static uint64_t due_of(const struct model *m, const struct waiting *w)
{
	bool is_undecided = w->aio != ID_NONE && !m->aio.op[w->aio].is_decided;
	bool is_long = w->is_growing || is_undecided;

	return w->event.time + (is_long ? OUT_LONG_S * UINT64_C(1000000000) : OUT_NAME_NS);
}

/* The first event of the location must wait. */
static void block(struct model *m, thread_id location)
{
	struct outbox *b = &m->out;
	struct out_location *l = &b->location[location];
	uint64_t due = due_of(m, ring_at(&l->queue, 0));

	if (due < b->due || !b->blocked_count)
		b->due = due;
	if (l->is_blocked)
		return;
	l->is_blocked = true;
	MEM_GROW(b->blocked, b->blocked_cap, b->blocked_count + 1);
	b->blocked[b->blocked_count++] = location;
}

/* Puts the event at the end of its location's queue. is_held: it already holds what it names. */
static void enqueue(struct model *m, struct waiting *w, bool is_held)
{
	struct out_location *l;

	if (w->event.thread == ID_NONE) {
		send_final(m, w);
		return;
	}
	set_creator(m, &w->event, w->open);
	l = location_of(m, w->event.thread);
	if (!l->queue.count && is_ready(m, w, false)) {
		l->first++;
		send_final(m, w);
		if (is_held)
			drop(m, w);
		return;
	}
	if (!is_held)
		hold(m, w);
	ring_add(&l->queue, w);
	block(m, w->event.thread);
}

/* Puts the first event beside the calls into the queue. */
static void enqueue_first_beside(struct model *m, thread_id location)
{
	struct waiting w = ring_take(&m->out.location[location].beside);

	enqueue(m, &w, true);
}

/* The same, although no later record of the location has come. */
static void enqueue_first_early(struct model *m, thread_id location)
{
	struct out_location *l = &m->out.location[location];

	l->floor = ring_at(&l->beside, 0)->event.time;
	enqueue_first_beside(m, location);
}

/*
 * Puts the events beside the calls that are not later than this record into the queue. If that makes the record too early, its
 * time is raised.
 */
static void enqueue_due_beside(struct model *m, struct io_event *event)
{
	struct out_location *l = location_of(m, event->thread);

	while (l->beside.count && ring_at(&l->beside, 0)->event.time <= event->time)
		enqueue_first_beside(m, event->thread);
	if (event->time < l->floor) {
		event->time = l->floor;
		tally_add(m->tally, late, 1);
	}
}

void out_emit(struct model *m, struct io_event *event, uint32_t open, uint32_t open2)
{
	if (event->thread != ID_NONE) {
		enqueue_due_beside(m, event);
		out_reach(m, event->thread, event->time);
	}
	enqueue(m, &(struct waiting){.event = *event, .open = open, .open2 = open2, .aio = ID_NONE},
		false);
}

/* The event is nearly always the last one. */
static void insert(struct out_ring *ring, const struct waiting *w)
{
	uint32_t index = ring->count;

	ring_add(ring, w);
	for (; index && ring_at(ring, index - 1)->event.time > w->event.time; index--)
		*ring_at(ring, index) = *ring_at(ring, index - 1);
	*ring_at(ring, index) = *w;
}

void out_emit_beside(struct model *m, const struct io_event *event, uint32_t open, uint32_t aio)
{
	struct out_location *l = location_of(m, event->thread);
	struct waiting w = {.event = *event, .open = open, .open2 = ID_NONE, .aio = aio};

	if (l->is_straight) {
		l->floor = event->time;
		enqueue(m, &w, false);
		return;
	}
	if (l->beside.count == BESIDE_LIMIT)
		enqueue_first_early(m, event->thread);
	if (w.event.time < l->floor) /* the time of the event that was just put into the queue */
		w.event.time = l->floor;
	hold(m, &w);
	insert(&l->beside, &w);
}

uint64_t out_emit_growing(struct model *m, struct io_event *event)
{
	struct out_location *l = location_of(m, event->thread);

	out_reach(m, event->thread, event->time);
	enqueue(m,
		&(struct waiting){.event = *event,
				  .open = ID_NONE,
				  .open2 = ID_NONE,
				  .aio = ID_NONE,
				  .is_growing = true},
		false);
	return l->first + l->queue.count - 1;
}

/* Returns the BEGIN of a request that may still grow, or NULL. */
static struct waiting *growing(struct model *m, thread_id location, uint64_t number)
{
	struct out_location *l = location_of(m, location);
	struct waiting *w = number - l->first < l->queue.count
				    ? ring_at(&l->queue, (uint32_t)(number - l->first))
				    : NULL;

	return w && w->is_growing ? w : NULL;
}

void out_set_extent(struct model *m, thread_id location, uint64_t number, uint64_t bytes,
		    uint64_t offset)
{
	struct waiting *w = growing(m, location, number);

	if (!w)
		return;
	w->event.op.bytes = bytes;
	w->event.op.offset = offset;
	w->is_growing = false;
	m->is_unblocked = true;
}

bool out_discard(struct model *m, thread_id location, uint64_t number)
{
	struct waiting *w = growing(m, location, number);

	if (!w)
		return false;
	w->is_growing = false;
	w->is_discarded = true;
	m->is_unblocked = true;
	return true;
}

void out_reach(struct model *m, thread_id location, uint64_t time)
{
	struct out_location *l = location_of(m, location);

	if (time > l->reached)
		l->reached = time;
}

uint64_t out_reached(const struct model *m, thread_id location)
{
	return location < m->out.locations ? m->out.location[location].reached : 0;
}

uint64_t out_earliest(const struct model *m, thread_id location, uint64_t time)
{
	const struct out_location *l;

	if (location >= m->out.locations)
		return time;
	l = &m->out.location[location];
	if (time < l->floor)
		time = l->floor;
	return time > l->reached ? time : l->reached;
}

static void enqueue_beside(struct model *m, thread_id location)
{
	struct out_location *l = &m->out.location[location];

	while (l->beside.count)
		enqueue_first_early(m, location);
	free(l->beside.at);
	l->beside = (struct out_ring){0};
}

void out_set_straight(struct model *m, thread_id location, bool is_straight)
{
	struct out_location *l = location_of(m, location);

	if (is_straight)
		enqueue_beside(m, location);
	l->is_straight = is_straight;
}

void out_enqueue_all(struct model *m)
{
	for (thread_id i = 0; i < m->out.locations; i++)
		enqueue_beside(m, i);
}

/* Returns a request that the first event has waited for too long, or ID_NONE. */
static uint32_t run_location(struct model *m, thread_id location, bool is_end)
{
	struct out_location *l = &m->out.location[location];

	while (l->queue.count) {
		struct waiting *first = ring_at(&l->queue, 0);
		bool is_due = is_end || m->out.waiting > OUT_LIMIT || due_of(m, first) < m->now;

		if (!is_ready(m, first, is_due))
			return is_due && first->aio != ID_NONE ? first->aio : ID_NONE;
		struct waiting w = ring_take(&l->queue);

		l->first++;
		send_final(m, &w);
		drop(m, &w);
	}
	return ID_NONE;
}

uint32_t out_run(struct model *m, bool is_end)
{
	struct outbox *b = &m->out;
	uint32_t count = b->blocked_count, request = ID_NONE;

	m->is_unblocked = false;
	b->blocked_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		thread_id location = b->blocked[i];

		b->location[location].is_blocked = false;
		if (request == ID_NONE)
			request = run_location(m, location, is_end);
		if (b->location[location].queue.count)
			block(m, location);
	}
	return request;
}

void out_release(struct model *m)
{
	for (thread_id i = 0; i < m->out.locations; i++) {
		free(m->out.location[i].queue.at);
		free(m->out.location[i].beside.at);
	}
	free(m->out.location);
	free(m->out.blocked);
	free(m->out.region);
	free(m->out.pause);
	map_release(&m->out.paused);
}
