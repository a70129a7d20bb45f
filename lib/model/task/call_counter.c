#include "call_counter.h"

#include "location.h"
#include "out/outbox.h"

#include <stdlib.h>

/* Totals of the counters of -E. The kernel counts separately for each thread and CPU. */
struct task_counters {
	uint64_t total[EVENT_COUNTERS];
	uint64_t (*last)[EVENT_COUNTERS]; /* by CPU */
	uint32_t cpus;
};

enum { COUNTER_CPUS_MAX = 1 << 16 };

void call_counter_add(struct model *m, uint32_t task, const struct event *event)
{
	uint32_t cpu = event->cpu < COUNTER_CPUS_MAX ? event->cpu : 0;
	struct task *t = &m->task[task];

	/* Their names are unknown. */
	if (m->call_series >= m->trace.series_count || !m->trace.series[m->call_series].is_of_calls)
		return;
	if (!t->counters)
		t->counters = mem_zero(sizeof(*t->counters));
	struct task_counters *c = t->counters;

	MEM_GROW(c->last, c->cpus, cpu + 1);
	struct io_event metric = {.kind = IO_METRIC, .time = event->time, .handle = ID_NONE};

	metric.thread = task_location(m, task, event->time);
	uint64_t *total = location_totals(m, task, c->total);

	for (uint32_t i = 0; i < event->exit.counters && i < EVENT_COUNTERS; i++) {
		if (event->exit.counter[i] > c->last[cpu][i])
			total[i] += event->exit.counter[i] - c->last[cpu][i];
		c->last[cpu][i] = event->exit.counter[i];
	}
	metric.metric.series = m->call_series;
	metric.metric.counters = event->exit.counters;
	metric.metric.counter = total;
	out_emit(m, &metric, ID_NONE, ID_NONE);
}

void call_counter_release(struct task *task)
{
	if (task->counters)
		free(task->counters->last);
	free(task->counters);
	task->counters = NULL;
}

void model_set_counters(struct model *m, const char *const *name, uint32_t count)
{
	struct trace_metric_text row[EVENT_COUNTERS];

	for (uint32_t i = 0; i < count && i < EVENT_COUNTERS; i++)
		row[i] = (struct trace_metric_text){
			.name = name[i],
			.unit = "#",
			.description = "Counter of the thread since recording began",
			.is_accumulated = true};
	if (count)
		m->call_series = trace_add_series(&m->trace, "counters", true, row,
						  count < EVENT_COUNTERS ? count : EVENT_COUNTERS);
}
