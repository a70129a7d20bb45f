/*
 * read_emit: what all events share: their time, their handle, their attributes, and the way out.
 */
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

uint64_t read_time(const struct reader *r, OTF2_TimeStamp time)
{
	__extension__ unsigned __int128 scaled = (unsigned __int128)time * NANOSECONDS;

	if (r->resolution == NANOSECONDS || !r->resolution)
		return time;
	scaled /= r->resolution;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

/* Whether the record names the handle that the call which was entered before it acts on. */
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

/* Hands on what waits on the location. Returns whether `next` has to wait as well. */
static bool let_go(struct reader *r, struct read_call *call, const struct io_event *next)
{
	struct io_event *enter = &call->event[0];
	const struct trace_region *region;

	if (!call->events)
		return false;
	region = &r->trace->region[enter->region.id];
	if (call->events == 1 && next->kind == IO_DESTROY_HANDLE && region->kind == CALL_DUP)
		return true;
	if (enter->handle == ID_NONE && enter->region.file == ID_NONE && is_of_call(region, next))
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

static bool is_known(const struct reader *r, OTF2_AttributeRef ref)
{
	uint32_t attribute = read_id(r, READ_OF_ATTRIBUTE, ref);

	return attribute != MAP_NONE && r->attribute[attribute].id != READ_ATTRIBUTES;
}

/* No io_event has room for what other programs note. */
static void count_unread(struct reader *r, OTF2_AttributeList *list)
{
	uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);

	for (uint32_t i = 0; i < count; i++) {
		OTF2_AttributeRef ref;
		OTF2_Type type;
		OTF2_AttributeValue value;

		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &ref, &type, &value) !=
			    OTF2_SUCCESS ||
		    !is_known(r, ref))
			tally_add(r->source->tally, attributes_unread, 1);
	}
}

void read_emit(struct reader *r, OTF2_LocationRef location, OTF2_TimeStamp time,
	       OTF2_AttributeList *attributes, struct io_event *event)
{
	uint32_t thread = read_id(r, READ_OF_LOCATION, location);
	struct trace_thread *of;
	struct read_call *call;

	if (thread == MAP_NONE) {
		tally_add(r->source->tally, ignored, 1);
		return;
	}
	r->emitted++;
	count_unread(r, attributes);
	event->thread = thread;
	event->time = read_time(r, time);
	of = &r->trace->thread[thread];
	of->begin = of->begin ? of->begin : event->time;
	of->end = event->time;
	call = &r->call[thread];
	if (let_go(r, call, event) || event->kind == IO_ENTER)
		call->event[call->events++] = *event;
	else
		r->source->on_event(r->source->context, event);
}

bool read_attribute(const struct reader *r, OTF2_AttributeList *list, enum read_attribute id,
		    OTF2_Type type, OTF2_AttributeValue *value)
{
	uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);

	for (uint32_t i = 0; i < count; i++) {
		OTF2_AttributeRef ref;
		OTF2_Type is;

		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &ref, &is, value) !=
			    OTF2_SUCCESS ||
		    is != type)
			continue;
		uint32_t attribute = read_id(r, READ_OF_ATTRIBUTE, ref);

		if (attribute != MAP_NONE && r->attribute[attribute].id == id)
			return true;
	}
	return false;
}

handle_id read_handle(struct reader *r, OTF2_LocationRef location, OTF2_IoHandleRef ref)
{
	uint32_t handle = read_id(r, READ_OF_HANDLE, ref);
	uint32_t thread = read_id(r, READ_OF_LOCATION, location);
	struct trace_process *process;

	if (handle == MAP_NONE || thread == MAP_NONE) {
		tally_add(r->source->tally, ignored, 1);
		return ID_NONE;
	}
	if (r->trace->handle[handle].process == ID_NONE) {
		r->trace->handle[handle].process = r->trace->thread[thread].process;
		process = &r->trace->process[r->trace->thread[thread].process];
		if (process->kind == TRACE_DEVICE)
			r->trace->device[process->device].handle = handle;
	}
	return handle;
}

file_id read_file(const struct reader *r, OTF2_AttributeList *list)
{
	OTF2_AttributeValue value;
	uint32_t file;

	if (!read_attribute(r, list, READ_FILE, OTF2_TYPE_IO_FILE, &value))
		return ID_NONE;
	file = read_id(r, READ_OF_FILE, value.ioFileRef);
	return file == MAP_NONE ? ID_NONE : file;
}
