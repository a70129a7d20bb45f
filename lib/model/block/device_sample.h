/*
 * device_sample: statistics of devices and of the machine at intervals, as metrics.
 *
 * Each fact MEMORY triggers a sample of the devices. In a stream without these facts, ends of operations trigger the samples, at most
 * every 10 ms. The statistics include all requests of the device, also of tasks that are not recorded, so they show how busy the device
 * was. They begin with the first recorded request of the device.
 */
#pragma once

#include "state/state.h"

/* Process the facts MEMORY and PRESSURE. */
void sample_memory(struct model *m, const struct event *event);
void sample_pressure(struct model *m, const struct event *event);
/* A recorded operation of the device has begun: its samples begin as well. */
void sample_begin(struct model *m, uint32_t device, uint64_t time);
/* The operation has ended: adds it to the device's next sample. */
void sample_add(struct model *m, const struct block_op *op);
void sample_at_event(struct model *m, uint32_t device);
/* The stream has ended: emits the last samples. */
void sample_end(struct model *m);
