/* span_counted: decides which spans the kernel counts, and reads the results. */
#pragma once

#include "span_run.h"

#include <iotrace/latency.h>

struct live;

/*
 * Chooses the spans that the kernel can count, so that only numbers leave it, and adds them to the recording. With -v, it prints
 * for the others why not.
 */
void span_counted_choose(struct span_options *options);
/* Returns whether the span was chosen. */
bool span_counted_is_chosen(const struct span_options *options, uint32_t span);
/* Adds what the kernel has counted to the engine's books and to the collection. The recording has ended. */
void span_counted_take(const struct span_run *run, struct live *live, struct latency *latency);
void span_counted_release(struct span_options *options);
