/*
 * tracepoint: events of -e, as metrics and parameters on the location of the thread that they happened in.
 *
 * A call's records are emitted when it ends, with the time of its begin in front; what happens within it waits
 * until then, so that time does not fall on the location.
 */
#ifndef IOTRACE_MODEL_TRACEPOINT_H
#define IOTRACE_MODEL_TRACEPOINT_H

#include "state.h"

void tracepoint_event(struct model *m, const struct event *event);
void tracepoint_let_go(struct model *m, uint32_t task, uint64_t time);
/* Lets go what happened in the thread before `time`. Few threads have anything. */
static inline void tracepoint_flush(struct model *m, uint32_t task, uint64_t time)
{
	if (m->task[task].held)
		tracepoint_let_go(m, task, time);
}
/* The thread is gone. */
void tracepoint_drop(struct model *m, uint32_t task);
void tracepoint_release(struct model *m);

#endif
