/* pause_filter: applies the pauses of a recording, and its begin, to events: see iotrace/pause.h. */
#pragma once

#include "state/state.h"

/*
 * Returns whether the event passes. A call passes with all its records if it began outside a pause; so do operations and requests.
 * Events that create or end processes, threads, handles and locks always pass, because later events need them.
 */
bool pause_filter_passes(struct model *m, const struct io_event *event);
