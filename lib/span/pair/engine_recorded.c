/*
 * engine_recorded: spans that were recorded with --span: the archive has each as a region, or as an operation of a handle with the
 * span's name.
 */
#include "engine.h"

#include <iotrace/mem.h>
#include <string.h>

enum span_fate engine_fate_of(enum io_end end)
{
	switch (end) {
	case IO_END_RECORDING:
		return SPAN_OPEN;
	case IO_END_LOST:
	case IO_END_UNREPORTED:
		return SPAN_LOST;
	case IO_END_DEATH:
		return SPAN_DIED;
	case IO_END_EXIT:
	case IO_END_MERGED:
	case IO_END_ABORTED:
		break;
	}
	return SPAN_CANCELLED;
}

struct open_span engine_open_of(const struct span_engine *engine, uint32_t span,
				const struct io_event *event, uint64_t key)
{
	const struct trace_thread *thread = trace_thread(engine->trace, event->thread);
	const struct trace_process *process = trace_process(engine->trace, thread->process);

	return (struct open_span){.span = (uint16_t)span,
				  .key = {key},
				  .begin = event->time,
				  .pid = process->pid,
				  .tid = thread->tid,
				  .comm = thread->name ? thread->name : process->name};
}

/* Returns the name of the span that the event is of, or 0. */
static str_id name_of(const struct trace *trace, const struct io_event *event)
{
	const struct trace_region *region;

	switch (event->kind) {
	case IO_ENTER:
	case IO_LEAVE:
		if (event->region.id >= trace_regions(trace))
			return 0;
		region = trace_region(trace, event->region.id);
		return region->source == REGION_SPAN ? region->name : 0;
	case IO_OP_BEGIN:
	case IO_OP_ISSUED:
	case IO_OP_COMPLETE:
	case IO_OP_CANCELLED:
		return event->handle < trace_handles(trace) &&
				       trace_handle(trace, event->handle)->is_span
			       ? trace_handle(trace, event->handle)->name
			       : 0;
	default:
		return 0;
	}
}

static bool is_region(const struct io_event *event)
{
	return event->kind == IO_ENTER || event->kind == IO_LEAVE;
}

/* Regions of one span do not nest. */
static uint64_t key_of(const struct io_event *event)
{
	return is_region(event) ? event->thread : event->op.id;
}

static uint64_t group_of(const struct span_engine *engine, uint32_t span,
			 const struct io_event *event, const struct io_span *what)
{
	switch (engine->span[span].by) {
	case SPAN_BY_GROUP:
		return what ? what->group : 0;
	case SPAN_BY_PROCESS:
		return trace_thread(engine->trace, event->thread)->process;
	case SPAN_BY_THREAD:
		return event->thread;
	default:
		return 0;
	}
}

static void begin(struct span_engine *engine, uint32_t span, const struct io_event *event)
{
	struct open_span open = engine_open_of(engine, span, event, key_of(event));

	open.group = group_of(engine, span, event,
			      is_region(event) ? event->region.span : event->op.span);
	engine_begin(engine, &open);
}

static void end(struct span_engine *engine, uint32_t span, const struct io_event *event)
{
	const uint64_t key[SPAN_KEYS] = {key_of(event)};
	const struct io_span *what = is_region(event)                ? event->region.span
				     : event->kind == IO_OP_COMPLETE ? event->op.span
								     : NULL;
	bool is_cut = is_region(event) ? event->region.is_cut : event->kind == IO_OP_CANCELLED;
	enum io_end why = is_region(event) ? event->region.end : event->op.end;
	uint64_t bytes = is_region(event) || is_cut || event->op.bytes == IO_BYTES_UNDEFINED
				 ? 0
				 : event->op.bytes;
	uint32_t slot = open_find(&engine->open, span, key);

	if (slot != OPEN_NONE && what && what->group && engine->span[span].by == SPAN_BY_GROUP)
		engine->open.at[slot].group = what->group;
	engine_end(engine, span, key,
		   !is_cut              ? SPAN_ENDED
		   : why == IO_END_EXIT ? SPAN_LEFT
					: engine_fate_of(why),
		   event->time, bytes);
}

bool engine_take_recorded(struct span_engine *engine, const struct io_event *event)
{
	str_id name = engine->trace ? name_of(engine->trace, event) : 0;

	if (!name)
		return false;
	for (uint32_t i = 0; i < engine->spans; i++) {
		const struct span *span = engine->span[i].span;

		if (span->source != SPAN_OF_ARCHIVE ||
		    strcmp(span->name, trace_text(engine->trace, name)) != 0)
			continue;
		if (event->kind == IO_ENTER || event->kind == IO_OP_BEGIN)
			begin(engine, i, event);
		else if (event->kind != IO_OP_ISSUED)
			end(engine, i, event);
	}
	return true;
}

static bool has_span(const struct trace *trace, const char *name)
{
	for (uint32_t i = 0; i < trace_spans(trace); i++)
		if (!strcmp(trace_text(trace, trace_span(trace, i)->name), name))
			return true;
	return false;
}

void engine_check_recorded(struct span_engine *engine)
{
	const struct trace *trace = engine->trace;

	for (uint32_t i = 0; i < engine->spans; i++) {
		struct engine_span *span = &engine->span[i];

		if (span->span->source != SPAN_OF_ARCHIVE || span->books.begun || span->trouble ||
		    has_span(trace, span->span->name))
			continue;
		span->trouble = mem_format("span '%s': the archive has no such spans%s",
					   span->span->name, trace_spans(trace) ? "; it has" : "");
		for (uint32_t s = 0; s < trace_spans(trace); s++)
			mem_append(&span->trouble, "%s %s", s ? "," : "",
				   trace_text(trace, trace_span(trace, s)->name));
	}
}
