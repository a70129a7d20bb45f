/*
 * device_out: emits io_events of operations on the location of their device.
 *
 * A request that waits in a scheduler may still grow. So its BEGIN, and later events of the location, wait in the outbox until it is
 * issued. If it becomes part of another request meanwhile, it is withdrawn.
 */
#pragma once

#include "state/state.h"

/* is_final: its size is final. */
void device_out_begin(struct model *m, uint32_t op, bool is_final);
/* The operation was issued; only the first issue has an io_event. */
void device_out_issue(struct model *m, uint32_t op);
void device_out_complete(struct model *m, uint32_t op);
void device_out_cancel(struct model *m, uint32_t op, enum io_end why);
/* The operation became part of another request. */
void device_out_merge(struct model *m, uint32_t op);
