/* read_emit: what all events have in common: time, handle, attributes, and how they are emitted. */
#include "reader.h"

#include <iotrace/escape.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { NANOSECONDS = 1000000000 };

str_id read_text(struct reader *r, const char *text, size_t length)
{
	char *copy;
	str_id id;

	if (!r->is_ours || !memchr(text, '\\', length))
		return trace_string(r->trace, text, length);
	copy = mem_dup(text, length + 1);
	id = trace_string(r->trace, copy, escape_undo(copy, length));
	free(copy);
	return id;
}

uint64_t read_time(const struct reader *r, uint64_t time)
{
	__extension__ unsigned __int128 scaled = (unsigned __int128)time * NANOSECONDS;

	if (r->resolution == NANOSECONDS || !r->resolution)
		return time;
	scaled /= r->resolution;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

static bool is_of_span(const struct reader *r, const struct io_event *event)
{
	if (event->kind == IO_ENTER)
		return r->trace->region[event->region.id].source == REGION_SPAN;
	return event->kind == IO_OP_BEGIN && r->trace->handle[event->handle].is_span;
}

/* Returns whether the handle of this record is the one that the current call acts on. */
static bool is_of_call(const struct trace_region *region, const struct io_event *event)
{
	switch (event->kind) {
	case IO_DESTROY_HANDLE:
		return region->source == REGION_OTHER || region->kind == CALL_CLOSE;
	case IO_DUPLICATE_HANDLE:
	case IO_SEEK:
	case IO_CHANGE_STATUS_FLAGS:
	case IO_OP_BEGIN:
	case IO_ACQUIRE_LOCK:
	case IO_RELEASE_LOCK:
	case IO_TRY_LOCK:
		return true;
	default:
		return false;
	}
}

/* Emits the events that wait on the location. Returns whether `next` must wait, too. */
static bool let_go(struct reader *r, struct read_call *call, const struct io_event *next)
{
	struct io_event *enter = &call->event[0];
	const struct trace_region *region;

	if (!call->events)
		return false;
	region = &r->trace->region[enter->region.id];
	if (call->events == 1 && next->kind == IO_DESTROY_HANDLE && region->kind == CALL_DUP)
		return true;
	if (enter->handle == ID_NONE && enter->region.file == ID_NONE && is_of_call(region, next) &&
	    !is_of_span(r, next))
		enter->handle = next->handle;
	for (uint32_t i = 0; i < call->events; i++)
		r->source->on_event(r->source->context, &call->event[i]);
	call->events = 0;
	return false;
}

void read_end(struct reader *r)
{
	const struct io_event none = {.kind = IO_LOST};

	for (thread_id thread = 0; thread < r->trace->threads; thread++)
		let_go(r, &r->call[thread], &none);
}

/* An attribute list has a count, and then the id and the value of each attribute. */
static enum read_attribute attribute_of(const struct reader *r, const struct value *field)
{
	uint32_t id = walk_id(&r->walk, KIND_ATTRIBUTE, field->is);

	return id == NONE ? READ_ATTRIBUTES : r->attribute[id];
}

const struct value *read_attribute(const struct reader *r, const struct walk_event *from,
				   enum read_attribute id, OTF2_Type type)
{
	const struct record *list = from->attributes;

	for (uint32_t i = 1; i + 1 < list->values; i += 2)
		if (list->value[i + 1].type == type && attribute_of(r, &list->value[i]) == id)
			return &list->value[i + 1];
	return NULL;
}

str_id read_attribute_string(const struct reader *r, const struct walk_event *from,
			     enum read_attribute id)
{
	const struct value *value = read_attribute(r, from, id, OTF2_TYPE_STRING);

	return value ? read_string(r, value) : 0;
}

const struct io_span *read_span(struct reader *r, const struct walk_event *from)
{
	struct io_span *span = &r->span;

	*span = (struct io_span){.text = read_attribute_string(r, from, READ_SPAN_TEXT),
				 .group = read_attribute_string(r, from, READ_SPAN_GROUP)};
	while (span->keys < IO_SPAN_KEYS &&
	       read_attribute_number(r, from, (enum read_attribute)(READ_SPAN_KEY + span->keys),
				     &span->key[span->keys]))
		span->keys++;
	return span;
}

bool read_why(struct reader *r, const struct walk_event *from, enum io_end *end)
{
	static const char *const reason[] = {
#define OTF2_CANCEL(end, text) [IO_END_##end] = text,
#include <iotrace/otf2.def>
	};
	str_id why = read_attribute_string(r, from, READ_CANCEL_REASON);

	for (size_t i = 0; why && i < sizeof(reason) / sizeof(*reason); i++)
		if (read_is(r, why, reason[i])) {
			*end = (enum io_end)i;
			return true;
		}
	return false;
}

file_id read_attribute_file(const struct reader *r, const struct walk_event *from)
{
	const struct value *value = read_attribute(r, from, READ_FILE, OTF2_TYPE_IO_FILE);

	return value ? walk_id_of(&r->walk, value) : ID_NONE;
}

bool read_attribute_number(const struct reader *r, const struct walk_event *from,
			   enum read_attribute id, uint64_t *number)
{
	static const uint8_t bits[] = {
		[OTF2_TYPE_UINT8] = 8,   [OTF2_TYPE_UINT16] = 16, [OTF2_TYPE_UINT32] = 32,
		[OTF2_TYPE_UINT64] = 64, [OTF2_TYPE_INT8] = 8,    [OTF2_TYPE_INT16] = 16,
		[OTF2_TYPE_INT32] = 32,  [OTF2_TYPE_INT64] = 64};

	const struct record *list = from->attributes;

	for (uint32_t i = 1; i + 1 < list->values; i += 2) {
		const struct value *value = &list->value[i + 1];
		int shift = value->type < sizeof(bits) ? 64 - bits[value->type] : 64;

		if (shift == 64 || attribute_of(r, &list->value[i]) != id)
			continue;
		*number = value->type < OTF2_TYPE_INT8
				  ? value->is
				  : (uint64_t)((int64_t)(value->is << shift) >> shift);
		return true;
	}
	return false;
}

/* Returns whether the value is a string, or a definition with a name. */
static bool text_of(const struct reader *r, const struct value *value, str_id *text)
{
	const struct trace *trace = r->trace;
	uint32_t id = walk_id_of(&r->walk, value);
	const struct trace_series *series;

	if (value->kind == KIND_NONE || id == NONE)
		return false;
	if (value->kind == KIND_METRIC && r->series[id] != NONE) {
		series = &trace->series[r->series[id]];
		*text = series->metrics ? trace->metric[series->metric].name : 0;
		return true;
	}
	*text = value->kind == KIND_STRING      ? r->string[id]
		: value->kind == KIND_REGION    ? trace->region[id].name
		: value->kind == KIND_FILE      ? trace->file[id].path
		: value->kind == KIND_HANDLE    ? trace->handle[id].name
		: value->kind == KIND_LOCATION  ? trace->thread[id].name
		: value->kind == KIND_GROUP     ? trace->process[id].name
		: value->kind == KIND_PARAMETER ? trace->parameter[id]
						: 0;
	return *text;
}

/* Strings and names in attributes of other programs become parameters of the record. An io_event cannot have other values. */
static void take_others(struct reader *r, const struct walk_event *from, bool has_room)
{
	const struct record *list = from->attributes;
	struct io_event event = read_new(r, from, IO_PARAMETER);

	for (uint32_t i = 1; i + 1 < list->values; i += 2) {
		uint32_t id = walk_id(&r->walk, KIND_ATTRIBUTE, list->value[i].is);

		if (id != NONE && r->attribute[id] != READ_ATTRIBUTES)
			continue;
		event.parameter.parameter = id == NONE ? NONE : r->parameter[id];
		if (has_room && event.parameter.parameter != NONE &&
		    text_of(r, &list->value[i + 1], &event.parameter.value))
			r->source->on_event(r->source->context, &event);
		else
			tally_add(r->source->tally, attributes_unread, 1);
	}
}

struct io_event read_new(const struct reader *r, const struct walk_event *from,
			 enum io_event_kind kind)
{
	return (struct io_event){.kind = kind,
				 .thread = from->location,
				 .time = read_time(r, from->time),
				 .handle = ID_NONE};
}

void read_ignore(struct reader *r)
{
	tally_add(r->source->tally, ignored, 1);
}

/*
 * In archives of iotrace, the begin of a thread has the time when it began, and a property has the time when it ended. A thread
 * without them lived from the first or to the last moment of the recording. Other programs record threads from their first event
 * to their last.
 */
static void note_lifetime(struct reader *r, const struct io_event *event)
{
	struct trace_thread *thread = &r->trace->thread[event->thread];
	bool is_begin = event->kind == IO_PROGRAM_BEGIN || event->kind == IO_THREAD_BEGIN;

	if (!thread->begin && (is_begin || !r->is_ours))
		thread->begin = event->time;
	if (!r->is_ours)
		thread->end = event->time;
}

void read_emit(struct reader *r, const struct walk_event *from, const struct io_event *event)
{
	struct read_call *call = &r->call[event->thread];
	bool waits = let_go(r, call, event);

	r->emitted++;
	take_others(r, from, !waits);
	note_lifetime(r, event);
	if (waits || (event->kind == IO_ENTER && !is_of_span(r, event)))
		call->event[call->events++] = *event;
	else
		r->source->on_event(r->source->context, event);
}

handle_id read_handle(struct reader *r, const struct walk_event *from, const struct value *field)
{
	uint32_t id = walk_id(&r->walk, KIND_HANDLE, field->is);
	struct trace_handle *handle;
	const struct trace_process *process;

	if (id == NONE) {
		read_ignore(r);
		return ID_NONE;
	}
	handle = &r->trace->handle[id];
	if (handle->process == ID_NONE) {
		handle->process = r->trace->thread[from->location].process;
		process = &r->trace->process[handle->process];
		if (process->kind == TRACE_DEVICE)
			r->trace->device[process->device].handle = id;
	}
	return id;
}
