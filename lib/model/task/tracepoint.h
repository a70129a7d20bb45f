/*
 * tracepoint: events of -e, as metrics and parameters on the location of the thread that they happened in.
 */
#pragma once

#include "state/state.h"

void tracepoint_event(struct model *m, const struct event *event);
