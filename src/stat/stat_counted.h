/* stat_counted: numbers that the kernel counted, for frames. */
#pragma once

#include "span/span_run.h"

#include <iotrace/frame.h>

/* Ends the interval with what the kernel has counted so far. Returns 0, or -errno if the spans in flight could not be read. */
int stat_counted_cut(struct frames *frames, const struct span_run *run, uint64_t now);
