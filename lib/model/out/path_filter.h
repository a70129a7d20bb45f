/*
 * path_filter: applies --path and --exclude-path to events.
 *
 * If one record of a call concerns a matching file, all records of the call pass. The first record that passes defines its location
 * and releases the begin of its thread or program.
 */
#pragma once

#include "state/state.h"

/*
 * Returns whether the event, which concerns an open or ID_NONE, passes. The begin of a call waits for the first record of the call that
 * passes, because its file is often known only later, and leaves just before that record.
 */
bool path_filter_passes(struct model *m, const struct io_event *event, uint32_t open);
