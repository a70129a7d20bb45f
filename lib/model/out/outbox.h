/*
 * outbox: everything that waits before it leaves the model.
 *
 * An io_event leaves when all that is in it is final. Until then it waits on its location, and so does what follows it
 * there; other locations go on. It waits for
 *   - the name of a file: a look-up brings it a moment after the open. Only then is it known whether the handle can be one
 *     that the process used for the same file before. A name that does not come in time is given up;
 *   - the file of an asynchronous request, which may be known only at its end;
 *   - the size of a block request: in a scheduler it may grow, or become part of another one.
 *
 * The records of a call are emitted when it ends, with the time of its begin. What happens meanwhile on the same location is
 * beside the call: it waits for the next record of the location that is not earlier. So time never falls on a location, and
 * nobody needs to know whether a call is in flight: in a stream where calls come as one record, nobody does.
 *
 * Here the events get their handles, --path is applied, and operations are counted. Nothing calls back into the rest of the
 * model.
 */
#pragma once

#include "out_send.h"
#include "state/state.h"

/* Emits an event at the end of what its location has. Its handle fields are filled in when it leaves. */
void out_emit(struct model *m, struct io_event *event, uint32_t open, uint32_t open2);
/* Emits an event beside the calls of its location. aio: the request whose handle it has, or ID_NONE: that of `open`. */
void out_emit_beside(struct model *m, const struct io_event *event, uint32_t open, uint32_t aio);
/* Emits the BEGIN of a request that may grow. Returns its number on its location. */
uint64_t out_emit_growing(struct model *m, struct io_event *event);
/* It does not grow any more. */
void out_set_extent(struct model *m, thread_id location, uint64_t number, uint64_t bytes,
		    uint64_t offset);
/* It never began. Returns false if it has left already, or does not grow any more. */
bool out_withdraw(struct model *m, thread_id location, uint64_t number);

/* Returns whether an event of this time has nothing to wait for on its location. */
static inline bool out_is_clear(const struct model *m, thread_id location, uint64_t time)
{
	const struct out_location *l;

	if (location >= m->out.locations)
		return true;
	l = &m->out.location[location];
	return !l->placed.count && !l->beside.count && l->floor <= time;
}
/*
 * The same as out_emit() for an event that neither makes nor ends a handle. Nearly always it may leave at once; the caller
 * says with out_reach() how far the location has come.
 */
static inline void out_emit_use(struct model *m, struct io_event *event, uint32_t open)
{
	bool has_handle = open == ID_NONE ||
			  (m->open[open].handle != ID_NONE &&
			   m->open[open].creator == m->trace.thread[event->thread].process);

	if (m->name_filter || m->trace.pauses || !has_handle ||
	    !out_is_clear(m, event->thread, event->time)) {
		out_emit(m, event, open, ID_NONE);
		return;
	}
	event->handle = open == ID_NONE ? ID_NONE : m->open[open].handle;
	out_count(m, event);
	m->output(m->context, event);
}
/* The location has io_events up to this time. */
void out_reach(struct model *m, thread_id location, uint64_t time);
/* Returns the time up to which it has some; ID_NONE is allowed: 0. */
uint64_t out_reached(const struct model *m, thread_id location);
/* Returns the earliest time that an event beside its calls may have: of `time` and what has left. */
uint64_t out_earliest(const struct model *m, thread_id location, uint64_t time);
/* Whether the location is that of a thread that makes no calls: nothing is beside any. */
void out_set_straight(struct model *m, thread_id location, bool is_straight);

/*
 * Lets leave what may. is_end: all that waits. Returns an asynchronous request that is waited for too long and has to be
 * decided now, or ID_NONE; call it again then.
 */
uint32_t out_run(struct model *m, bool is_end);
/* Whether out_run() has something to do at the time of the event at hand. */
static inline bool out_is_due(const struct model *m)
{
	return m->out.blocked_count &&
	       (m->is_unblocked || m->now > m->out.due || m->out.waiting > OUT_LIMIT);
}
/* No call will come any more: what is beside them takes its place. */
void out_place_all(struct model *m);
void out_release(struct model *m);

/* A request lives while it is in flight, and while io_events of it wait. ID_NONE is allowed. */
void out_hold_request(struct model *m, uint32_t request);
void out_drop_request(struct model *m, uint32_t request);
