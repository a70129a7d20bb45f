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
/* Lets go what happened in the thread before `time`. */
void tracepoint_flush(struct model *m, uint32_t task, uint64_t time);
/* The thread is gone. */
void tracepoint_drop(struct model *m, uint32_t task);
void tracepoint_release(struct model *m);

#endif
