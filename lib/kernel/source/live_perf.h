/*
 * live_perf: the rings of perf, one for each CPU, as a source of the recording.
 */
#ifndef KERNEL_LIVE_PERF_H
#define KERNEL_LIVE_PERF_H

#include "ring/ring_source.h"

/* Of a struct live. */
extern const struct ring_source_ops live_perf_ops;

#endif
