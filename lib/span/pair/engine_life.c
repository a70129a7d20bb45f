/* engine_life: creates an engine, ends and releases it. */
#include "engine.h"
#include "engine_block.h"
#include "stacks.h"

#include <iotrace/mem.h>
#include <stdlib.h>

struct span_engine *span_engine_new(const struct span *const *span, uint32_t spans,
				    const struct trace *trace, const struct span_output *output)
{
	struct span_engine *engine = mem_zero(sizeof(*engine));

	engine->span = mem_array(spans, sizeof(*engine->span));
	engine->spans = spans;
	engine->trace = trace;
	engine->output = *output;
	engine->takes_io_events = output->moved;
	engine->strings = strtab_new();
	open_init(&engine->open);
	entries_init(&engine->entries, spans);
	for (uint32_t i = 0; i < spans; i++) {
		engine->span[i].span = span[i];
		span_add_events(span[i], output->note, &engine->events);
		engine->entries.points += span_entries(span[i]);
		engine->has_sources[span[i]->source] = true;
		engine->takes_io_events |= span[i]->source != SPAN_OF_TRACEPOINTS;
		if (span[i]->source != SPAN_OF_TRACEPOINTS)
			engine_io_group(&engine->span[i], SPAN_BY_GROUP);
	}
	engine->event = mem_array(engine->events.count ? engine->events.count : 1,
				  sizeof(*engine->event));
	return engine;
}

void span_engine_free(struct span_engine *engine)
{
	if (!engine)
		return;
	for (uint32_t i = 0; i < engine->events.count; i++) {
		free((void *)(uintptr_t)engine->events.item[i]);
		free(engine->event[i].use);
	}
	for (uint32_t i = 0; i < engine->spans; i++)
		free(engine->span[i].trouble);
	for (uint32_t i = 0; i < engine->threads; i++)
		free(engine->thread[i]);
	text_list_release(&engine->events);
	map_release(&engine->comm);
	map_release(&engine->user);
	map_release(&engine->cgroup);
	map_release(&engine->chosen);
	map_release(&engine->status);
	map_release(&engine->foreign);
	open_release(&engine->open);
	entries_release(&engine->entries);
	stacks_free(engine->stacks);
	engine_calls_release(&engine->calls);
	engine_requests_release(&engine->requests);
	strtab_free(engine->strings);
	free(engine->thread);
	free(engine->event);
	free(engine->span);
	free(engine);
}

void span_engine_end(struct span_engine *engine)
{
	uint64_t end = span_engine_last(engine);

	engine_block_drop_unissued(engine);
	engine_check_recorded(engine);
	for (uint32_t i = 0; i < engine->open.count; i++)
		if (engine->open.at[i].is_used)
			engine_give_up(engine, i, SPAN_OPEN, end);
}
