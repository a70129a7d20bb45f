/* stat_counted: numbers that the kernel counted, for frames. */
#pragma once

#include "analysis/span_run.h"
#include "stat_paths.h"

#include <iotrace/counted_read.h>
#include <iotrace/frame.h>

/* Add what the kernel has counted to the frames. */
void stat_counted_part(struct frames *frames, const struct counted_part *part);
void stat_counted_flight(struct frames *frames, const struct counted_flight *flight);
/*
 * Ends the interval with what the kernel has counted so far of the rows that `paths` wants. Returns 0, or -errno if the spans in flight
 * could not be read.
 */
int stat_counted_cut(struct frames *frames, const struct span_run *run, struct stat_paths *paths,
		     uint64_t now);
