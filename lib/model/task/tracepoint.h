/*
 * tracepoint: events of -e, as metrics and parameters on the location of the thread that they happened in.
 */
#ifndef IOTRACE_MODEL_TRACEPOINT_H
#define IOTRACE_MODEL_TRACEPOINT_H

#include "state/state.h"

void tracepoint_event(struct model *m, const struct event *event);

#endif
