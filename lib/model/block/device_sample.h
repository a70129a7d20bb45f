/*
 * device_sample: figures of devices and of the machine at intervals, as metrics.
 *
 * The facts of an interval are its clock: at each MEMORY, the devices are sampled, too. A stream without them is
 * sampled at the ends of operations, but not more often than each 10 ms. The figures are those of all requests of the
 * device, those of tasks that are not recorded as well: they say how busy it was. A device has samples from the first
 * request on that is kept.
 */
#pragma once

#include "state/state.h"

/* Facts MEMORY and PRESSURE. */
void sample_memory(struct model *m, const struct event *event);
void sample_pressure(struct model *m, const struct event *event);
/* An operation of the device that is kept has begun: so do its samples. */
void sample_begin(struct model *m, uint32_t device, uint64_t time);
/* The operation has ended: adds it to the device's next sample. */
void sample_add(struct model *m, const struct block_op *op);
void sample_at_event(struct model *m, uint32_t device);
/* The stream has ended: what came since the last samples. */
void sample_end(struct model *m);
