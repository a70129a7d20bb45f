/*
 * op_call: what the two ways that a call comes have in common: enter and exit (op.c), or both in one (op_pair.c).
 */
#pragma once

#include "op_end.h"

/* The call (id, enter, arg set, the rest zero) is in flight from now on. */
void op_note(struct model *m, uint32_t task, struct call *call,
	     const struct event_string path[EVENT_PATHS],
	     const struct event_string base[EVENT_PATHS]);
/* The call in flight was never noted. */
void op_forget(struct model *m, uint32_t task);
/* Applies op->result and emits the records of the call. counters: the event that has them, or NULL. */
void op_complete(struct op *op, const struct event *counters);
