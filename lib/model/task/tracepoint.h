/* tracepoint: emits events of -e as metrics and parameters on the location of their thread. */
#pragma once

#include "state/state.h"

void tracepoint_event(struct model *m, const struct event *event);
