/*
 * device_out: io_events of operations on the location of their device.
 *
 * A request that waits in a scheduler may still grow. Its BEGIN, and what follows on the same location, is held back
 * until it is issued; one that becomes part of another meanwhile never began. How long, and how many may wait, is
 * bounded: then the BEGIN says what was known.
 *
 * begun, completed, cancelled and in_flight of devices are counted here and nowhere else.
 */
#ifndef IOTRACE_MODEL_DEVICE_OUT_H
#define IOTRACE_MODEL_DEVICE_OUT_H

#include "state.h"

/* is_final: its size is the last word. */
void out_begin(struct model *m, uint32_t op, bool is_final);
/* It is issued now; the first time only it is told. */
void out_issue(struct model *m, uint32_t op);
void out_complete(struct model *m, uint32_t op);
void out_cancel(struct model *m, uint32_t op, enum io_end why);
/* It became part of another request. */
void out_merge(struct model *m, uint32_t op);
/* Lets all go that is held back. */
void out_flush(struct model *m, uint32_t device);

#endif
