/*
 * pause_filter: which events leave the model although the recording was paused: see iotrace/pause.h.
 */
#pragma once

#include "state/state.h"

/*
 * Returns whether the event goes out. A call goes out, with all that is in it, if it began while the recording was on; so do
 * operations and requests. What makes or ends processes, threads, handles and locks always does: later events rest on it.
 */
bool pause_filter_passes(struct model *m, const struct io_event *event);
