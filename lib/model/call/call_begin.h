/*
 * call_begin: what the arguments of a call meant when it began.
 */
#pragma once

#include "state/state.h"

/*
 * Fills in what id, enter and arg of the call (the rest is zero) meant at the time of its begin, which may be past:
 * paths, and the opens that its descriptors named, held. A call that closes empties its slot.
 */
void call_begin(struct model *m, uint32_t task, struct call *call,
		const struct event_string path[EVENT_PATHS],
		const struct event_string base[EVENT_PATHS]);
/* Sets what path argument `index` of the call means, which starts at `base` if it is relative (empty: not known). */
void call_path(struct model *m, struct call *call, uint32_t index, struct event_string path,
	       struct event_string base);
