/*
 * tracepoint: what waits is a row of words for each event: which one, when, its numbers, its strings.
 */
#include "tracepoint.h"

#include "location.h"
#include "settle.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_EVENT, WORD_TIME, WORD_FIRST, HELD_MAX = 1 << 20 };

void model_set_tracepoint(struct model *m, uint32_t event, const struct decode_event *text)
{
	struct model_metric_text row[EVENT_COUNTERS];
	struct tracepoint_kind *kind;

	MEM_GROW(m->tracepoint, m->tracepoints_cap, event + 1);
	while (m->tracepoints <= event)
		m->tracepoint[m->tracepoints++] = (struct tracepoint_kind){.series = ID_NONE};
	kind = &m->tracepoint[event];
	*kind = (struct tracepoint_kind){.is_set = true,
					 .series = ID_NONE,
					 .numbers = text->numbers,
					 .strings = text->strings,
					 .parameter = m->parameters};
	for (uint32_t i = 0; i < text->numbers; i++)
		row[i] = (struct model_metric_text){.name = text->number[i],
						    .unit = "#",
						    .description = "Field of the tracepoint",
						    .is_signed = text->is_signed[i]};
	if (text->numbers)
		kind->series = model_add_series(m, text->name, false, row, text->numbers);
	for (uint32_t i = 0; i < text->strings; i++) {
		char *name = mem_format("%s:%s", text->name, text->string[i]);

		model_add_parameter(m, name);
		free(name);
	}
}

bool model_has_tracepoint(const struct model *m, uint32_t event)
{
	return event < m->tracepoints && m->tracepoint[event].is_set;
}

static void hold(struct model *m, uint32_t task, const struct event *event)
{
	const struct tracepoint_kind *kind = &m->tracepoint[event->tracepoint.event];
	uint32_t words = WORD_FIRST + kind->numbers + kind->strings;
	struct task_held *held = m->task[task].held;

	if (!held)
		held = m->task[task].held = mem_zero(sizeof(*held));
	MEM_GROW(held->word, held->cap, held->words + words);
	uint64_t *word = held->word + held->words;

	word[WORD_EVENT] = event->tracepoint.event;
	word[WORD_TIME] = event->time;
	word += WORD_FIRST;
	for (uint32_t i = 0; i < kind->numbers; i++)
		*word++ = event->tracepoint.number[i];
	for (uint32_t i = 0; i < kind->strings; i++)
		*word++ = model_string(m, event->tracepoint.string[i].at,
				       event->tracepoint.string[i].length);
	held->words += words;
}

/* Returns how many words it took. */
static uint32_t emit(struct model *m, thread_id location, const uint64_t *word)
{
	const struct tracepoint_kind *kind = &m->tracepoint[word[WORD_EVENT]];
	struct io_event event = {.kind = IO_METRIC,
				 .thread = location,
				 .time = word[WORD_TIME],
				 .handle = ID_NONE};

	event.metric.series = kind->series;
	event.metric.counters = kind->numbers;
	event.metric.counter = word + WORD_FIRST;
	if (kind->numbers)
		settle_push(m, &event, ID_NONE, ID_NONE);
	word += WORD_FIRST + kind->numbers;
	event.kind = IO_PARAMETER;
	for (uint32_t i = 0; i < kind->strings; i++) {
		event.parameter.parameter = kind->parameter + i;
		event.parameter.value = (str_id)word[i];
		settle_push(m, &event, ID_NONE, ID_NONE);
	}
	return WORD_FIRST + kind->numbers + kind->strings;
}

void tracepoint_let_go(struct model *m, uint32_t task, uint64_t time)
{
	struct task_held *held = m->task[task].held;
	uint32_t at = 0;

	while (at < held->words && held->word[at + WORD_TIME] < time)
		at += emit(m, task_location(m, task, held->word[at + WORD_TIME]), held->word + at);
	held->words -= at;
	memmove(held->word, held->word + at, held->words * sizeof(*held->word));
}

void tracepoint_event(struct model *m, const struct event *event)
{
	uint32_t task = task_get(m, event->pid, event->tid);

	if (!process_is_recorded(m, m->task[task].process) ||
	    !model_has_tracepoint(m, event->tracepoint.event))
		return;
	hold(m, task, event);
	/* Where calls come at their end, nobody knows yet whether one has begun. */
	if (m->task[task].held->words > HELD_MAX ||
	    (m->task[task].call.id == CALL_ID_NONE && !m->is_paired))
		tracepoint_flush(m, task, UINT64_MAX);
}

void tracepoint_drop(struct model *m, uint32_t task)
{
	if (m->task[task].held)
		free(m->task[task].held->word);
	free(m->task[task].held);
	m->task[task].held = NULL;
}

void tracepoint_release(struct model *m)
{
	for (uint32_t i = 0; i < m->tasks.count; i++)
		tracepoint_drop(m, i);
	free(m->tracepoint);
}
