#include "tracepoint.h"

#include "location.h"
#include "out/outbox.h"
#include "task.h"

#include <stdlib.h>

void model_set_tracepoint(struct model *m, uint32_t event, const struct decode_event *text)
{
	struct trace_metric_text row[EVENT_COUNTERS];
	struct tracepoint_kind *kind;

	MEM_GROW(m->tracepoint, m->tracepoints_cap, event + 1);
	while (m->tracepoints <= event)
		m->tracepoint[m->tracepoints++] = (struct tracepoint_kind){.series = ID_NONE};
	kind = &m->tracepoint[event];
	*kind = (struct tracepoint_kind){.is_set = true,
					 .series = ID_NONE,
					 .numbers = text->numbers,
					 .strings = text->strings,
					 .parameter = m->trace.parameters};
	for (uint32_t i = 0; i < text->numbers; i++)
		row[i] = (struct trace_metric_text){.name = text->number[i],
						    .unit = "#",
						    .description = "Field of the tracepoint",
						    .is_signed = text->is_signed[i]};
	if (text->numbers)
		kind->series = trace_add_series(&m->trace, text->name, false, row, text->numbers);
	for (uint32_t i = 0; i < text->strings; i++) {
		char *name = mem_format("%s:%s", text->name, text->string[i]);

		trace_add_parameter(&m->trace, name);
		free(name);
	}
}

bool model_has_tracepoint(const struct model *m, uint32_t event)
{
	return event < m->tracepoints && m->tracepoint[event].is_set;
}

/* The event happened in the thread, perhaps within one of its calls. */
static void emit(struct model *m, uint32_t task, struct io_event *event)
{
	bool is_in_call = m->task[task].call.id != CALL_ID_NONE;

	/* If calls arrive at their end, it is not yet known whether one has begun. */
	if (is_in_call || m->is_paired)
		out_emit_beside(m, event, ID_NONE, ID_NONE);
	else
		out_emit(m, event, ID_NONE, ID_NONE);
}

void tracepoint_event(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);
	struct io_event out = {.kind = IO_METRIC, .time = event->time, .handle = ID_NONE};
	const struct tracepoint_kind *kind;

	if (!process_is_recorded(m, m->task[task].process) ||
	    !model_has_tracepoint(m, event->tracepoint.event))
		return;
	kind = &m->tracepoint[event->tracepoint.event];
	out.thread = task_location(m, task, event->time);
	out.metric.series = kind->series;
	out.metric.counters = kind->numbers;
	out.metric.counter = event->tracepoint.number;
	if (kind->numbers)
		emit(m, task, &out);
	out.kind = IO_PARAMETER;
	for (uint32_t i = 0; i < kind->strings; i++) {
		const struct event_string *value = &event->tracepoint.string[i];

		out.parameter.parameter = kind->parameter + i;
		out.parameter.value = model_string(m, value->at, value->length);
		emit(m, task, &out);
	}
}
