/*
 * device_out: io_events of operations on the location of their device.
 *
 * A request that waits in a scheduler may still grow. Its BEGIN, and what follows on the same location, waits in the outbox
 * until it is issued; one that becomes part of another meanwhile never began.
 */
#pragma once

#include "state/state.h"

/* is_final: its size is the last word. */
void device_out_begin(struct model *m, uint32_t op, bool is_final);
/* It is issued now; only the first time there is an io_event. */
void device_out_issue(struct model *m, uint32_t op);
void device_out_complete(struct model *m, uint32_t op);
void device_out_cancel(struct model *m, uint32_t op, enum io_end why);
/* It became part of another request. */
void device_out_merge(struct model *m, uint32_t op);
