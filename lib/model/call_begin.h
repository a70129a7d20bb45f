/*
 * call_begin: what the arguments of a call meant when it began.
 */
#ifndef IOTRACE_MODEL_CALL_BEGIN_H
#define IOTRACE_MODEL_CALL_BEGIN_H

#include "state.h"

/*
 * Fills in what id, enter and arg of the call (the rest is zero) meant at the time of its begin, which may be past:
 * paths, and the opens that its descriptors named, held. A call that closes empties its slot.
 */
void call_begin(struct model *m, uint32_t task, struct call *call,
		const struct event_string path[EVENT_PATHS],
		const struct event_string base[EVENT_PATHS]);
/* Returns the argument as the int that a descriptor is, or -1 if the row has none there. */
int call_fd(const struct call *call, int8_t index);
/* Whether the row's fd is one that the call acts on, not a directory of a path or the first of a range. */
bool call_has_descriptor(const struct call *call);
/* Returns what the call named with its first path, as far as it is known, or 0. */
static inline str_id call_named(const struct call *call)
{
	return call->path[0] ? call->path[0] : call->written;
}
/* Sets what path argument `index` of the call means, which starts at `base` if it is relative (empty: not known). */
void call_path(struct model *m, struct call *call, uint32_t index, struct event_string path,
	       struct event_string base);

#endif
