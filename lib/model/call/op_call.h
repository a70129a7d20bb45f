/* op_call: common code for calls with separate begin and end (op.c), and with both in one event (op_pair.c). */
#pragma once

#include "op_end.h"

/* Starts a call: id, enter and arg are set, the rest is zero. */
void op_note(struct model *m, uint32_t task, struct call *call,
	     const struct event_string path[EVENT_PATHS],
	     const struct event_string base[EVENT_PATHS]);
/* Forgets the call in flight. */
void op_forget(struct model *m, uint32_t task);
/* Applies op->result and emits the records of the call. counters: the event that has them, or NULL. */
void op_complete(struct op *op, const struct event *counters);
