/* span_counted: reads what the kernel has counted. */
#pragma once

#include "span_run.h"

#include <iotrace/latency.h>

/* What is counted is known: tells the engine. */
void span_counted_begin(const struct span_run *run);
/* Returns whether the kernel has counted any event of the span. */
bool span_counted_has_events(const struct span_run *run, uint32_t span);
/*
 * Returns the engine's group for one of the kernel's, which numbers texts by itself. The engine learns from which list the names of such
 * groups are. index: of the counted span.
 */
uint64_t span_counted_group(const struct span_run *run, uint32_t index, uint64_t group);
/* Adds what the kernel has counted since the last time to both collections. */
void span_counted_take_part(const struct span_run *run, struct latency *all, struct latency *part);
/*
 * Adds the rest to them, and everything to the engine's books. The recording has ended. part: NULL: none.
 */
void span_counted_take(const struct span_run *run, struct latency *all, struct latency *part);
