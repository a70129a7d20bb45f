/*
 * path_filter: which events --path and --exclude-path let out.
 *
 * A call goes out with all its records if one of them is of a file that is wanted. A location is listed with the first record on
 * it that goes out, and so is the begin of its thread or program.
 */
#pragma once

#include "state/state.h"

/*
 * Returns whether the event, which concerns an open or ID_NONE, goes out. The begin of a call, whose file is often
 * known later only, waits for the first record in it that goes out, and leaves before it.
 */
bool path_filter_passes(struct model *m, const struct io_event *event, uint32_t open);
