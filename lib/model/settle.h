/*
 * settle: io_events leave when the handles in them have their final id.
 *
 * A look-up brings the name of a file a moment after its open. Only then is it known whether the handle
 * can be one that the process used for the same file before (an archive with a definition for each open
 * would be useless to its readers). So events wait in a queue, in order, behind the first whose handle
 * is not settled; that is until its name came, its look-up failed, it was closed, or it waited too long.
 */
#ifndef IOTRACE_MODEL_SETTLE_H
#define IOTRACE_MODEL_SETTLE_H

#include "state.h"

/* Puts the event into the queue, or hands it out at once. Its handle fields are filled in here. */
void settle_push(struct model *m, struct io_event *event, uint32_t open, uint32_t open2);
/* The same for what has its place in time already: see lane.h. The event is copied, what it names is held. */
void settle_put(struct model *m, const struct waiting *waiting);
/*
 * The same for an event that neither makes nor ends a handle. Nearly always it may leave at once; who calls this says
 * with settle_reach() how far the location has come.
 */
static inline void settle_use(struct model *m, struct io_event *event, uint32_t open)
{
	bool is_settled = open == ID_NONE ||
			  (m->open[open].handle != ID_NONE &&
			   m->open[open].creator == m->thread[event->thread].process);

	if (m->queue_count || m->keep || event->thread < m->lane_cap || !is_settled) {
		settle_push(m, event, open, ID_NONE);
		return;
	}
	event->handle = open == ID_NONE ? ID_NONE : m->open[open].handle;
	m->output(m->context, event);
}
/* The location has io_events up to this time. */
static inline void settle_reach(struct model *m, thread_id thread, uint64_t time)
{
	MEM_GROW(m->reached, m->reached_cap, thread + 1);
	if (time > m->reached[thread])
		m->reached[thread] = time;
}
/* Gives an open of this time, whose name is known or will never be, its handle at once. */
void settle_now(struct model *m, uint32_t open, uint64_t time);
/* Returns a new handle of an open for a process that has it, and did not make it. */
handle_id settle_found(struct model *m, process_id process, uint32_t open);
/* Lets go what may. is_forced: everything. */
void settle_run(struct model *m, bool is_forced);
/* The name of a description is known now: handles that could not wait for it learn it, too. */
void settle_named(struct model *m, uint32_t description);

#endif
