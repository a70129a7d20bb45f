/*
 * outbox: holds all io_events that must wait before they leave the model.
 *
 * An io_event leaves when its contents are final. Until then it waits in the queue of its location and blocks later events there;
 * other locations continue. It waits for
 *   - the name of a file: a look-up finds it shortly after the open. Only then is it known whether the process can reuse a handle
 *     of the same file. After a time limit, the name is given up;
 *   - the file of an asynchronous request, which may be known only at its end;
 *   - the size of a block request: in a scheduler it may grow, or become part of another one.
 *
 * The records of a call are emitted when it ends, with the time of its begin. Other events that happen meanwhile on the same
 * location are "beside" the call: they wait for the next record of the location that is not earlier. So time never decreases on a
 * location, even if a stream has only one record for each call and nobody knows whether a call is in flight.
 *
 * The outbox assigns handles, applies --path and counts operations. It never calls back into the rest of the model.
 */
#pragma once

#include "out_send.h"
#include "state/state.h"

/* Emits an event after all others of its location. Its handle fields are filled in when it leaves. */
void out_emit(struct model *m, struct io_event *event, uint32_t open, uint32_t open2);
/* Emits an event beside the calls of its location. It has the handle of the request `aio`, or if that is ID_NONE, of `open`. */
void out_emit_beside(struct model *m, const struct io_event *event, uint32_t open, uint32_t aio);
/* Emits the BEGIN of a request that may grow. Returns its sequence number on its location. */
uint64_t out_emit_growing(struct model *m, struct io_event *event);
/* Sets its final size. */
void out_set_extent(struct model *m, thread_id location, uint64_t number, uint64_t bytes,
		    uint64_t offset);
/* Discards the BEGIN. Returns false if it has already left, or its size is final. */
bool out_discard(struct model *m, thread_id location, uint64_t number);

/* Returns whether an event with this time need not wait on its location. */
static inline bool out_is_clear(const struct model *m, thread_id location, uint64_t time)
{
	const struct out_location *l;

	if (location >= m->out.locations)
		return true;
	l = &m->out.location[location];
	return !l->queue.count && !l->beside.count && l->floor <= time;
}
/*
 * The same as out_emit() for an event that neither creates nor destroys a handle. It can nearly always leave at once. The caller uses
 * out_reach() to set the time of the location.
 */
static inline void out_emit_use(struct model *m, struct io_event *event, uint32_t open)
{
	bool has_handle = open == ID_NONE ||
			  (m->open[open].handle != ID_NONE &&
			   m->open[open].creator == m->trace.thread[event->thread].process);

	if (m->has_names || m->trace.pauses || m->out.since || !has_handle ||
	    !out_is_clear(m, event->thread, event->time)) {
		out_emit(m, event, open, ID_NONE);
		return;
	}
	event->handle = open == ID_NONE ? ID_NONE : m->open[open].handle;
	out_count(m, event);
	m->output(m->context, event);
}
/* Notes that the location has io_events up to this time. */
void out_reach(struct model *m, thread_id location, uint64_t time);
/* Returns the time of its last io_event; 0 for ID_NONE. */
uint64_t out_reached(const struct model *m, thread_id location);
/* Returns the later one of `time` and the earliest time that an event beside its calls may have. */
uint64_t out_earliest(const struct model *m, thread_id location, uint64_t time);
/* Sets whether the location is that of a thread without calls, so that no event is beside one. */
void out_set_straight(struct model *m, thread_id location, bool is_straight);

/*
 * Sends all events that need not wait any more; is_end: all events. Returns an asynchronous request that was waited for too long and
 * must be decided now; then call it again. Otherwise returns ID_NONE.
 */
uint32_t out_run(struct model *m, bool is_end);
/* Returns whether out_run() has work at the time of the current event. */
static inline bool out_is_due(const struct model *m)
{
	return m->out.blocked_count &&
	       (m->is_unblocked || m->now > m->out.due || m->out.waiting > OUT_LIMIT);
}
/* No more calls follow: puts all events beside calls into the queue. */
void out_enqueue_all(struct model *m);
void out_release(struct model *m);

/* Hold a request while it is in flight and while its io_events wait. ID_NONE is allowed. */
void out_hold_request(struct model *m, uint32_t request);
void out_drop_request(struct model *m, uint32_t request);
