#include "collect_counter.h"

#include <iotrace/mem.h>
#include <iotrace/trace.h>
#include <string.h>

/* Other metrics, and those of other programs, may have any meaning. */
static bool is_of_counters(const struct trace *trace, const struct io_event *event)
{
	const struct trace_series *series;

	if (event->metric.series >= trace_series_count(trace) || trace_host(trace)->is_of_others)
		return false;
	series = trace_series(trace, event->metric.series);
	return series->is_of_calls && series->metrics == event->metric.counters;
}

void collect_counter_event(struct collect_counters *counters, const struct trace *trace,
			   const struct io_event *event)
{
	uint32_t metrics = event->metric.counters, first = event->thread * metrics;

	if (!metrics || !is_of_counters(trace, event))
		return;
	counters->metric = trace_series(trace, event->metric.series)->metric;
	counters->metrics = metrics;
	MEM_GROW(counters->last, counters->values_cap, first + metrics);
	if (first + metrics > counters->values)
		counters->values = first + metrics;
	memcpy(counters->last + first, event->metric.counter, metrics * sizeof(*counters->last));
}

uint64_t collect_counter(const struct collect_counters *counters, uint32_t index)
{
	uint64_t sum = 0;

	for (uint32_t i = index; i < counters->values; i += counters->metrics)
		sum += counters->last[i];
	return sum;
}
