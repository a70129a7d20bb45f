/* span_counted: decides which spans the kernel counts, and reads the results. */
#pragma once

#include "span_run.h"

#include <iotrace/latency.h>

struct error;
struct live;

/*
 * Chooses the spans that the kernel can count, so that only numbers leave it, and adds them to the recording. With -v, it prints
 * for the others why not.
 */
void span_counted_choose(struct span_options *options);
/* Returns whether the rows are file systems: the kernel counts calls, or the model has the spans of calls. */
bool span_counted_is_of_file_systems(const struct span_options *options);
/* Returns whether the rows are files: the kernel counts calls, or the model has the operations. */
bool span_counted_is_of_files(const struct span_options *options);
/* What is counted is known: tells the engine. */
void span_counted_begin(const struct span_run *run);
/* Returns whether the span was chosen. */
bool span_counted_is_chosen(const struct span_options *options, uint32_t span);
/* Returns 0, or -ENOTSUP with a message if events of users that are not chosen would be among the others. */
int span_counted_check_users(const struct span_options *options, const struct live *live,
			     struct error *err);
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
void span_counted_release(struct span_options *options);
