/*
 * pause: the times at which a recording was paused, and the records that this excludes.
 *
 * Files, descriptors and processes are always followed, so that their names are right later. Calls, operations,
 * requests and samples that begin in a pause are excluded; those that began before continue. Times are in ns of the
 * trace's clock.
 */
#pragma once

#include <iotrace/trace.h>

#define PAUSE_LASTS UINT64_MAX
/* The category of OTF2 markers for marks of users. */
#define MARK_CATEGORY "Mark"

/* Pauses or resumes the recording at this time. No effect if that is already its state. Times must not decrease. */
void trace_set_paused(struct trace *trace, uint64_t time, bool is_paused);
bool trace_is_paused(const struct trace *trace, uint64_t time);
/* Returns for how long the recording was paused in a span. */
uint64_t trace_paused(const struct trace *trace, uint64_t from, uint64_t to);
/* Returns how long the recording lasted, without its pauses. */
uint64_t trace_recorded(const struct trace *trace);
