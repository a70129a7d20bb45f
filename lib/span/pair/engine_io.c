/*
 * engine_io: spans of the model: calls, operations, descriptors, and block requests (engine_block.c). Their keys are ids of the trace.
 */
#include "engine.h"
#include "engine_async.h"
#include "engine_block.h"
#include "engine_mount.h"
#include "engine_result.h"

#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static struct engine_thread *thread_of(struct span_engine *engine, thread_id id)
{
	MEM_GROW(engine->thread, engine->threads_cap, id + 1);
	if (id >= engine->threads)
		engine->threads = id + 1;
	if (!engine->thread[id])
		engine->thread[id] = mem_zero(sizeof(**engine->thread));
	return engine->thread[id];
}

static struct engine_frame *frame_of(struct engine_thread *thread)
{
	return thread->depth && thread->depth <= ENGINE_DEPTH ? &thread->frame[thread->depth - 1]
							      : NULL;
}

static str_id name_of_handle(const struct span_engine *engine, handle_id id)
{
	const struct trace_handle *handle;

	if (id >= trace_handles(engine->trace))
		return 0;
	handle = trace_handle(engine->trace, id);
	return handle->file != ID_NONE ? engine_file_name(engine, handle->file) : handle->name;
}

static uint64_t group_of(const struct engine_span *span, const struct span_engine *engine,
			 const struct io_event *event, const struct engine_frame *frame,
			 str_id file)
{
	switch (span->by) {
	case SPAN_BY_PROCESS:
		return trace_thread(engine->trace, event->thread)->process;
	case SPAN_BY_THREAD:
		return event->thread;
	case SPAN_BY_FILE:
		return file;
	case SPAN_BY_CALL:
		return frame ? trace_region(engine->trace, frame->region)->name : 0;
	case SPAN_BY_MODE:
		return event->op.mode;
	case SPAN_BY_FS:
		return engine_mount(engine, engine_file(engine, event->handle));
	case SPAN_BY_GROUP:
	case SPAN_BY_DEVICE:
	case SPAN_BY_NONE:
	case SPAN_BY_USER:
	case SPAN_BY_CGROUP:
	case SPAN_BY_CONNECTION:
	case SPAN_BYS:
		break;
	}
	return 0;
}

/* The stack of the thread's call in flight, at its end. */
static uint32_t stack_of(struct span_engine *engine, const struct io_event *event,
			 const struct engine_frame *frame)
{
	uint32_t tid = trace_thread(engine->trace, event->thread)->tid;

	return frame ? engine_call_stack(engine, tid, frame->enter, event->time) : 0;
}

static void note_call(struct span_engine *engine, const struct io_event *event,
		      const struct engine_frame *frame)
{
	char text[ENGINE_NOTE], name[ENGINE_NOTE] = "";
	const struct trace *trace = engine->trace;
	int length;

	if (frame->name)
		escape_text(name, sizeof(name), trace_text(trace, frame->name),
			    strtab_length(trace_strings(trace), frame->name));
	length = snprintf(text, sizeof(text), "%s %s",
			  trace_text(trace, trace_region(trace, frame->region)->name), name);
	if (frame->bytes && length > 0 && (size_t)length < sizeof(text))
		snprintf(text + length, sizeof(text) - (size_t)length, " %llu bytes",
			 (unsigned long long)frame->bytes);
	engine_note(engine, trace_thread(trace, event->thread)->tid, frame->enter, text);
}

static void leave(struct span_engine *engine, struct engine_thread *thread,
		  const struct io_event *event)
{
	const struct engine_frame *frame = frame_of(thread);
	const struct trace_region *region;

	if (thread->depth)
		thread->depth--;
	if (!frame || frame->region >= trace_regions(engine->trace))
		return;
	region = trace_region(engine->trace, frame->region);
	/* A function of a program that does no I/O itself. */
	if (region->source == REGION_OTHER && region->group == GROUP_TASK)
		return;
	for (uint32_t i = 0; i < engine->spans; i++) {
		struct open_span open;

		if (engine->span[i].span->source != SPAN_OF_CALLS)
			continue;
		open = engine_open_of(engine, i, event, event->thread);
		open.begin = frame->enter;
		open.bytes = frame->bytes;
		open.read = frame->read;
		open.written = frame->written;
		open.has_failed = event->region.error > 0;
		open.about = frame->name;
		open.group = group_of(&engine->span[i], engine, event, frame, frame->name);
		open.stack = stack_of(engine, event, frame);
		if (!engine_group_call(engine, i, open.has_failed, frame, &open))
			continue;
		engine_whole(engine, &open,
			     event->region.is_cut ? engine_fate_of(event->region.end) : SPAN_ENDED,
			     event->time);
	}
	if (engine->output.note)
		note_call(engine, event, frame);
}

static void enter(struct span_engine *engine, struct engine_thread *thread,
		  const struct io_event *event)
{
	struct engine_frame *frame;

	thread->depth++;
	frame = frame_of(thread);
	if (!frame)
		return;
	*frame = (struct engine_frame){
		.region = event->region.id,
		.enter = event->time,
		.name = event->handle != ID_NONE ? name_of_handle(engine, event->handle)
						 : engine_file_name(engine, event->region.file),
		.file = event->handle != ID_NONE ? engine_file(engine, event->handle)
						 : event->region.file,
		.is_nameless = event->handle < trace_handles(engine->trace) &&
			       !trace_handle(engine->trace, event->handle)->name,
	};
}

/* Operations outside of calls are page faults, unless they are asynchronous. */
static bool is_of(enum span_source source, const struct engine_thread *thread,
		  const struct io_event *event)
{
	return source == SPAN_OF_OPERATIONS ||
	       (source == SPAN_OF_FAULTS && !thread->depth && !event->op.is_non_blocking);
}

static void op_begin(struct span_engine *engine, struct engine_thread *thread,
		     const struct io_event *event)
{
	str_id name = name_of_handle(engine, event->handle);

	for (uint32_t i = 0; i < engine->spans; i++) {
		struct open_span open;

		if (!is_of(engine->span[i].span->source, thread, event))
			continue;
		open = engine_open_of(engine, i, event, event->op.id);
		open.about = name;
		open.group = group_of(&engine->span[i], engine, event, frame_of(thread), name);
		engine_begin(engine, &open);
	}
}

static void end_op(struct span_engine *engine, uint32_t span, const struct io_event *event,
		   uint64_t bytes, uint32_t stack)
{
	const uint64_t key[SPAN_KEYS] = {event->op.id};
	uint32_t slot = open_find(&engine->open, span, key);
	struct open_span *open = slot == OPEN_NONE ? NULL : &engine->open.at[slot];
	bool is_whole = event->kind == IO_OP_COMPLETE;

	if (open && is_whole) {
		engine_add_moved(event, bytes, &open->read, &open->written);
		open->has_failed = event->op.error > 0;
	}
	if (open)
		open->stack = stack;
	engine_end(engine, span, key, is_whole ? SPAN_ENDED : engine_fate_of(event->op.end),
		   event->time, is_whole ? bytes : 0);
}

static void op_end(struct span_engine *engine, struct engine_thread *thread,
		   const struct io_event *event)
{
	struct engine_frame *frame = frame_of(thread);
	bool is_whole = event->kind == IO_OP_COMPLETE;
	uint64_t bytes = event->op.bytes == IO_BYTES_UNDEFINED ? 0 : event->op.bytes;
	uint32_t stack = event->op.is_non_blocking ? 0 : stack_of(engine, event, frame);

	if (is_whole && frame && !event->op.is_non_blocking) {
		frame->bytes += bytes;
		engine_add_moved(event, bytes, &frame->read, &frame->written);
	}
	for (uint32_t i = 0; i < engine->spans; i++)
		if (is_of(engine->span[i].span->source, thread, event))
			end_op(engine, i, event, bytes, stack);
}

/* A thread that gets a table of its own has copies of all descriptors. Nothing was opened. */
static bool copies_table(const struct span_engine *engine, const struct engine_frame *frame)
{
	enum call_kind kind;

	if (!frame || frame->region >= trace_regions(engine->trace))
		return false;
	kind = trace_region(engine->trace, frame->region)->kind;
	return kind == CALL_UNSHARE || kind == CALL_CLOSE_RANGE;
}

static void create(struct span_engine *engine, struct engine_thread *thread,
		   const struct io_event *event, handle_id handle)
{
	str_id name = name_of_handle(engine, handle);

	for (uint32_t i = 0; i < engine->spans; i++) {
		struct open_span open;

		if (engine->span[i].span->source != SPAN_OF_DESCRIPTORS)
			continue;
		open = engine_open_of(engine, i, event, handle);
		open.about = name;
		open.stack = stack_of(engine, event, frame_of(thread));
		open.group = group_of(&engine->span[i], engine, event, frame_of(thread), name);
		engine_begin(engine, &open);
	}
}

/* A process that inherited a descriptor has a copy of its own. */
static bool is_copy(const struct span_engine *engine, const struct io_event *event)
{
	process_id process = event->handle < trace_handles(engine->trace)
				     ? trace_handle(engine->trace, event->handle)->process
				     : ID_NONE;

	return process != ID_NONE && !event->destroy.is_shared &&
	       process != trace_thread(engine->trace, event->thread)->process;
}

/* A handle that no call destroys ends with its process. */
static void destroy(struct span_engine *engine, const struct engine_thread *thread,
		    const struct io_event *event)
{
	const uint64_t key[SPAN_KEYS] = {event->handle};

	if (is_copy(engine, event))
		return;
	for (uint32_t i = 0; i < engine->spans; i++) {
		uint32_t slot;

		if (engine->span[i].span->source != SPAN_OF_DESCRIPTORS)
			continue;
		slot = thread->depth ? OPEN_NONE : open_find(&engine->open, i, key);
		if (slot != OPEN_NONE)
			engine_leave(engine, slot, event->time);
		else
			engine_end(engine, i, key, SPAN_ENDED, event->time, 0);
	}
}

static void program_end(struct span_engine *engine, const struct io_event *event)
{
	const struct trace_thread *thread = trace_thread(engine->trace, event->thread);

	if (event->program.exit_status >= 0)
		map_set(&engine->status, trace_process(engine->trace, thread->process)->pid,
			(uint32_t)event->program.exit_status & 0xffff);
}

static void thread_event(struct span_engine *engine, const struct io_event *event)
{
	struct engine_thread *thread;

	if (engine_async(engine, event) || engine_take_recorded(engine, event))
		return;
	thread = thread_of(engine, event->thread);
	switch (event->kind) {
	case IO_ENTER:
		enter(engine, thread, event);
		break;
	case IO_LEAVE:
		leave(engine, thread, event);
		break;
	case IO_OP_BEGIN:
		op_begin(engine, thread, event);
		break;
	case IO_OP_COMPLETE:
	case IO_OP_CANCELLED:
		op_end(engine, thread, event);
		break;
	case IO_CREATE_HANDLE:
		create(engine, thread, event, event->handle);
		break;
	case IO_DUPLICATE_HANDLE:
		if (!copies_table(engine, frame_of(thread)))
			create(engine, thread, event, event->duplicate.new_handle);
		break;
	case IO_DESTROY_HANDLE:
		destroy(engine, thread, event);
		break;
	case IO_PROGRAM_END:
		program_end(engine, event);
		break;
	default:
		break;
	}
}

void span_engine_io_event(struct span_engine *engine, const struct io_event *event)
{
	if (event->kind == IO_LOST)
		engine->lost += event->lost.count;
	if (!engine->takes_io_events || event->thread >= trace_threads(engine->trace))
		return;
	switch (trace_thread(engine->trace, event->thread)->kind) {
	case LOCATION_THREAD:
		thread_event(engine, event);
		break;
	case LOCATION_DEVICE:
		engine_block(engine, event);
		break;
	case LOCATION_METRIC:
		break;
	}
}

bool engine_io_group(struct engine_span *span, enum span_by by)
{
	enum span_source source = span->span->source;
	bool is_request = span_is_of_requests(span->span), is_call = source == SPAN_OF_CALLS;
	bool has_mode = is_request || source == SPAN_OF_OPERATIONS || source == SPAN_OF_FAULTS;

	if (source == SPAN_OF_ARCHIVE && by == SPAN_BY_GROUP) {
		span->by = by;
		span->kind = GROUP_IS_TRACE_TEXT;
		return true;
	}
	if (by == SPAN_BY_GROUP && !is_request)
		by = is_call ? SPAN_BY_CALL : SPAN_BY_FILE;
	span->by = by;
	switch (by) {
	case SPAN_BY_GROUP:
		span->kind = GROUP_IS_REQUEST;
		return true;
	case SPAN_BY_NONE:
		span->kind = GROUP_IS_NOTHING;
		return true;
	case SPAN_BY_PROCESS:
		span->kind = is_request ? GROUP_IS_OWNER : GROUP_IS_PROCESS;
		return true;
	case SPAN_BY_THREAD:
		span->kind = GROUP_IS_THREAD;
		return !is_request;
	case SPAN_BY_FILE:
		span->kind = GROUP_IS_TRACE_TEXT;
		return source != SPAN_OF_ARCHIVE;
	case SPAN_BY_CALL:
		span->kind = GROUP_IS_TRACE_TEXT;
		return !is_request && source != SPAN_OF_FAULTS && source != SPAN_OF_ARCHIVE;
	case SPAN_BY_MODE:
		span->kind = GROUP_IS_MODE;
		return has_mode;
	case SPAN_BY_DEVICE:
		span->kind = GROUP_IS_DEVICE;
		return is_request;
	case SPAN_BY_FS:
		span->kind = GROUP_IS_MOUNT;
		return source == SPAN_OF_OPERATIONS || is_call;
	case SPAN_BY_USER:
	case SPAN_BY_CGROUP:
	case SPAN_BY_CONNECTION:
	case SPAN_BYS:
		break;
	}
	return false;
}
