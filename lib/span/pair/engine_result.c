/* engine_result: what the end of a span says: whether it failed, and how much data it moved. */
#include "engine_result.h"

#include <iotrace/span_ways.h>

/* Each call asks, and the name of the machine changes once at most. */
static const struct arch *arch_now(struct span_engine *engine)
{
	str_id machine = trace_host(engine->trace)->machine;

	if (!engine->arch || engine->machine != machine)
		engine->arch = engine_arch(engine);
	engine->machine = machine;
	return engine->arch;
}

uint8_t engine_moves(struct span_engine *engine, const struct span *span,
		     const struct engine_use *use, const struct event *event)
{
	uint64_t value;

	if (!span->ways || !engine_field(engine, &use->group, event, &value))
		return 0;
	return (uint8_t)span->ways->of(value, arch_now(engine));
}

void engine_add_moved(const struct io_event *event, uint64_t bytes, uint64_t *read,
		      uint64_t *written)
{
	if (event->op.mode == IO_MODE_READ)
		*read += bytes;
	else if (event->op.mode == IO_MODE_WRITE)
		*written += bytes;
}

static uint64_t moved(const struct span_way *way, uint64_t begin, uint64_t end)
{
	uint64_t size = way->is_of_end ? end : begin;

	return size > way->header ? size - way->header : 0;
}

void engine_result(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event, struct open_span *open)
{
	const struct span_ways *ways = engine->span[use->span].span->ways;
	uint64_t result = 0, size = 0;

	engine_field(engine, &use->result, event, &result);
	open->has_failed = (int64_t)result < 0;
	if (open->has_failed || !ways)
		return;
	engine_field(engine, &use->size, event, &size);
	if (open->moves & SPAN_READS)
		open->read = moved(&ways->read, open->bytes, size);
	if (open->moves & SPAN_WRITES)
		open->written = moved(&ways->written, open->bytes, size);
}

uint64_t engine_size(struct span_engine *engine, const struct engine_use *use,
		     const struct event *event, uint32_t slot)
{
	const struct engine_span *span = &engine->span[use->span];
	uint64_t size = 0;

	if (!span->is_size_of_end)
		return 0;
	if (!span->span->ways || !span->span->ways->is_size_result)
		engine_field(engine, &use->size, event, &size);
	else if (slot != OPEN_NONE)
		size = engine->open.at[slot].read + engine->open.at[slot].written;
	return size;
}
