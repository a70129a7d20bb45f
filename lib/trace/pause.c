#include <iotrace/mem.h>
#include <iotrace/pause.h>

void trace_set_paused(struct trace *trace, uint64_t time, bool is_paused)
{
	uint32_t last = trace->pauses - 1;
	bool is_already = trace->pauses && trace->pause[last].to == PAUSE_LASTS;

	if (is_already && !is_paused)
		trace->pause[last].to = time;
	if (is_already || !is_paused)
		return;
	MEM_GROW(trace->pause, trace->pauses_cap, trace->pauses + 1);
	trace->pause[trace->pauses++] = (struct trace_pause){time, PAUSE_LASTS};
}

/* The time is usually in one of the last pauses. */
bool trace_is_paused(const struct trace *trace, uint64_t time)
{
	for (uint32_t i = trace->pauses; i--;)
		if (time >= trace->pause[i].from)
			return time < trace->pause[i].to;
	return false;
}

uint64_t trace_paused(const struct trace *trace, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < trace->pauses; i++) {
		const struct trace_pause *pause = &trace->pause[i];
		uint64_t first = pause->from > from ? pause->from : from;
		uint64_t last = pause->to < to ? pause->to : to;

		sum += last > first ? last - first : 0;
	}
	return sum;
}

uint64_t trace_recorded(const struct trace *trace)
{
	const struct trace_host *host = &trace->host;
	uint64_t first = host->first_time, last = host->last_time;

	return last > first ? last - first - trace_paused(trace, first, last) : 0;
}
