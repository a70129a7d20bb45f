/* live_perf: the rings of perf, one for each CPU, as a source of the recording. */
#pragma once

#include "ring/ring_source.h"

/* Its `self` is a struct live. */
extern const struct ring_source_ops live_perf_ops;
