/* engine_async: see engine_async.h. */
#include "engine_async.h"

#include "engine_mount.h"

#include <string.h>

/* The number of io_uring_enter is the same on all machines that are supported. */
enum { URING_ENTER = 426 };

/* The call that submits requests, which has returned before; 0: it has not, because a thread of the kernel submits them. */
static str_id name_of_call(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace_regions(trace); i++)
		if (!strcmp(trace_text(trace, trace_region(trace, i)->name), "io_uring_enter"))
			return trace_region(trace, i)->name;
	return 0;
}

/* As the calls of the thread: by the numbers of the kernel. */
static uint64_t group_of_raw(const struct span_engine *engine, enum span_by by,
			     const struct trace_thread *thread)
{
	return by == SPAN_BY_PROCESS  ? trace_process(engine->trace, thread->process)->pid
	       : by == SPAN_BY_THREAD ? thread->tid
	       : by == SPAN_BY_GROUP  ? URING_ENTER
				      : 0;
}

static uint64_t group_of_model(const struct span_engine *engine, enum span_by by,
			       const struct io_event *event)
{
	file_id file = engine_file(engine, event->handle);

	switch ((int)by) {
	case SPAN_BY_PROCESS:
		return trace_thread(engine->trace, event->thread)->process;
	case SPAN_BY_THREAD:
		return event->thread;
	case SPAN_BY_FILE:
		return file == ID_NONE ? 0 : trace_file(engine->trace, file)->path;
	case SPAN_BY_FS:
		return engine_mount(engine, file);
	case SPAN_BY_CALL:
		return name_of_call(engine->trace);
	default:
		return 0;
	}
}

static void credit(struct span_engine *engine, uint32_t index, const struct io_event *event)
{
	const struct engine_span *span = &engine->span[index];
	struct span_moved moved = {.span = index, .time = event->time};

	moved.group = span_is_of_raw_calls(span->span)
			      ? group_of_raw(engine, span->by,
					     trace_thread(engine->trace, event->thread))
			      : group_of_model(engine, span->by, event);
	if (event->op.mode == IO_MODE_READ)
		moved.read = event->op.bytes;
	else if (event->op.mode == IO_MODE_WRITE)
		moved.written = event->op.bytes;
	engine->output.moved(engine->output.context, &moved);
}

static bool counts_calls(const struct span *span)
{
	return span_is_of_raw_calls(span) || span->source == SPAN_OF_CALLS ||
	       span->source == SPAN_OF_OPERATIONS;
}

bool engine_async(struct span_engine *engine, const struct io_event *event)
{
	bool is_of_request = event->kind == IO_OP_BEGIN || event->kind == IO_OP_ISSUED ||
			     event->kind == IO_OP_COMPLETE || event->kind == IO_OP_CANCELLED;

	if (!engine->output.moved || !is_of_request || !event->op.is_non_blocking)
		return false;
	if (event->kind != IO_OP_COMPLETE || event->op.bytes == IO_BYTES_UNDEFINED)
		return true;
	for (uint32_t i = 0; i < engine->spans; i++)
		if (counts_calls(engine->span[i].span))
			credit(engine, i, event);
	return true;
}
