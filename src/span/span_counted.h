/*
 * span_counted: which spans the kernel counts, and what it found.
 */
#pragma once

#include "span_run.h"

#include <iotrace/latency.h>

struct live;

/*
 * Chooses the spans that the kernel may count, so that nothing but numbers of them leaves it, and puts them into the recording. With
 * -v it says of the others why not.
 */
void span_counted_choose(struct span_options *options);
/* Returns whether it chose this one. */
bool span_counted_is_chosen(const struct span_options *options, uint32_t span);
/* Adds what the kernel counted to the engine's books and to the numbers. The recording has ended. */
void span_counted_take(const struct span_run *run, struct live *live, struct latency *latency);
void span_counted_release(struct span_options *options);
