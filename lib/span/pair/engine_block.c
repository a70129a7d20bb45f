/*
 * engine_block: spans of block requests and of their parts, from io_events. Their keys are ids of operations.
 */
#include "engine_block.h"

#include "engine.h"
#include "engine_mount.h"
#include "engine_result.h"

static uint64_t group_of(const struct engine_span *span, const struct span_engine *engine,
			 const struct io_event *event)
{
	uint32_t process = trace_thread(engine->trace, event->thread)->process;
	uint32_t device = trace_process(engine->trace, process)->device;

	switch (span->kind) {
	case GROUP_IS_REQUEST:
		return map_key(device, event->op.type);
	case GROUP_IS_DEVICE:
		return device;
	case GROUP_IS_MODE:
		return IO_MODES + event->op.type;
	case GROUP_IS_OWNER:
		return map_key(event->op.pid, event->op.name);
	case GROUP_IS_TRACE_TEXT:
		return engine_file_name(engine, event->op.file);
	default:
		return 0;
	}
}

static void begin(struct span_engine *engine, const struct io_event *event)
{
	uint32_t stack = engine_request_stack(engine, event);

	for (uint32_t i = 0; i < engine->spans; i++) {
		const struct engine_span *span = &engine->span[i];
		bool is_service = span->span->source == SPAN_OF_SERVICE;

		if (!span_is_of_requests(span->span))
			continue;
		engine_begin(engine,
			     &(const struct open_span){
				     .span = (uint16_t)i,
				     .key = {event->op.id},
				     .begin = is_service ? ENGINE_BEGINS_LATER : event->time,
				     .bytes = event->op.bytes == IO_BYTES_UNDEFINED
						      ? 0
						      : event->op.bytes,
				     .pid = event->op.pid,
				     .tid = event->op.tid,
				     .comm = event->op.name,
				     .about = engine_file_name(engine, event->op.file),
				     .group = group_of(span, engine, event),
				     .stack = stack,
			     });
	}
}

static void forget(struct span_engine *engine, uint32_t slot)
{
	engine->span[engine->open.at[slot].span].books.begun--;
	open_remove(&engine->open, slot);
}

void engine_block_drop_unissued(struct span_engine *engine)
{
	if (!engine->has_sources[SPAN_OF_SERVICE])
		return;
	for (uint32_t i = 0; i < engine->open.count; i++)
		if (engine->open.at[i].is_used && engine->open.at[i].begin == ENGINE_BEGINS_LATER)
			forget(engine, i);
}

/* The last issue counts, because a request that its driver gave back is issued again. */
static void end(struct span_engine *engine, uint32_t span, uint32_t slot,
		const struct io_event *event)
{
	struct open_span *open = &engine->open.at[slot];
	enum span_source source = engine->span[span].span->source;
	bool is_whole = event->kind == IO_OP_COMPLETE;
	enum span_fate fate = is_whole ? SPAN_ENDED : engine_fate_of(event->op.end);
	uint64_t time = event->time;

	if (is_whole) {
		engine_add_moved(event, open->bytes, &open->read, &open->written);
		open->has_failed = event->op.error > 0;
	}
	if (source == SPAN_OF_SERVICE && event->op.issued)
		open->begin = event->op.issued;
	if (open->begin == ENGINE_BEGINS_LATER) {
		forget(engine, slot);
		return;
	}
	if (source == SPAN_OF_QUEUE && is_whole) {
		time = event->op.issued;
		/* Bios of a stacked device are not issued. */
		fate = time ? SPAN_ENDED : SPAN_CANCELLED;
	}
	engine_end(engine, span, &(const uint64_t[SPAN_KEYS]){event->op.id}[0], fate, time, 0);
}

/* It waits no longer. But it may be given back, so what it is part of ends only with the request. */
static void issue(struct span_engine *engine, enum span_source source, uint32_t slot, uint64_t time)
{
	if (source == SPAN_OF_QUEUE)
		engine_leave(engine, slot, time);
	if (source != SPAN_OF_SERVICE)
		return;
	engine->open.at[slot].begin = time;
	engine_tell_begun(engine, slot);
}

void engine_block(struct span_engine *engine, const struct io_event *event)
{
	const uint64_t key[SPAN_KEYS] = {event->op.id};

	if (event->kind == IO_OP_BEGIN) {
		begin(engine, event);
		return;
	}
	for (uint32_t i = 0; i < engine->spans; i++) {
		enum span_source source = engine->span[i].span->source;
		uint32_t slot;

		if (!span_is_of_requests(engine->span[i].span))
			continue;
		slot = open_find(&engine->open, i, key);
		if (event->kind == IO_OP_ISSUED && slot != OPEN_NONE)
			issue(engine, source, slot, event->time);
		if (event->kind != IO_OP_COMPLETE && event->kind != IO_OP_CANCELLED)
			continue;
		if (slot != OPEN_NONE)
			end(engine, i, slot, event);
		else
			engine->span[i].books.ends_without_begin++;
	}
}
