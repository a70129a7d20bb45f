/*
 * pause: the times at which a recording was paused, and what a trace leaves out of them.
 *
 * Files, descriptors and processes are followed all the time, so that their names are right later. All calls, operations, requests and
 * samples that begin in a pause are left out; what began before goes on. Times are those of the trace's clock, in ns.
 */
#pragma once

#include <iotrace/trace.h>

#define PAUSE_LASTS UINT64_MAX
/* The category of OTF2 markers that are marks of users. */
#define MARK_CATEGORY "Mark"

/* The recording is paused from this time on, or goes on. Does nothing if that is so already. Times do not fall. */
void trace_set_paused(struct trace *trace, uint64_t time, bool is_paused);
bool trace_is_paused(const struct trace *trace, uint64_t time);
/* Returns how long of a span the recording was paused. */
uint64_t trace_paused(const struct trace *trace, uint64_t from, uint64_t to);
/* Returns how long the recording lasted, without its pauses. */
uint64_t trace_recorded(const struct trace *trace);
