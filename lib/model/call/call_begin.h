/* call_begin: resolves the arguments of a call at its begin. */
#pragma once

#include "state/state.h"

/*
 * Resolves the arguments of a call (id, enter and arg are set, the rest is zero) at the time of its begin, which may be in the past:
 * its paths, and the opens of its descriptors, which are held. A call that closes a descriptor empties its slot.
 */
void call_begin(struct model *m, uint32_t task, struct call *call,
		const struct event_string path[EVENT_PATHS],
		const struct event_string base[EVENT_PATHS]);
/* Sets path argument `index` of the call; a relative path starts at `base` (empty: unknown). */
void call_path(struct model *m, struct call *call, uint32_t index, struct event_string path,
	       struct event_string base);
