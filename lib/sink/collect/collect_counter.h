/*
 * collect_counter: counters of -E. Each location has the totals of its thread at the end of its last call; the totals of the run
 * are their sum.
 */
#pragma once

#include <iotrace/io_event.h>
#include <stdint.h>

struct trace;

struct collect_counters {
	uint32_t metric, metrics; /* index of the first in the trace; number, 0: no event of -E */
	uint64_t *last;           /* for each thread, a row of all metrics */
	uint32_t values, values_cap;
};

void collect_counter_event(struct collect_counters *counters, const struct trace *trace,
			   const struct io_event *event);
/* Returns the total of one over all threads. */
uint64_t collect_counter(const struct collect_counters *counters, uint32_t index);
