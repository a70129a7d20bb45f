/*
 * Private to lib/archive: what is known while an archive is read. See walk.h.
 *
 *	read.c		reads a whole archive
 *	read_defs.c	definitions, in the terms of struct trace
 *	read_name.c	what names of our own archives say
 *	read_property.c	properties of nodes, groups, locations and files
 *	read_note.c	what only our own archives have: properties, iotrace.json
 *	read_flags.c	how files were opened
 *	read_mark.c	markers
 *	read_emit.c	what all events share
 *	read_event.c	regions, programs, threads, metrics
 *	read_io.c	handles and operations
 *
 * Records that refer to something undefined are skipped and counted.
 */
#pragma once

#include "walk/walk.h"

enum read_attribute { /* The attributes of events in archives of iotrace. */
#define OTF2_ATTRIBUTE(id, ...) READ_##id,
#include <iotrace/otf2.def>
		      READ_ATTRIBUTES
};

struct read_member {
	str_id name, unit, description;
	bool is_accumulated, is_signed, is_real;
};

struct read_call {
	/* ENTER, and the destruction of a handle by dup2(), which comes before the duplication. */
	struct io_event event[2];
	uint32_t events;
};

struct reader {
	struct walk walk;
	struct archive_report report;
	const struct archive_source *source;
	/* Processes, threads, regions, files and handles have the ids of the walk. */
	struct trace *trace;
	bool is_ours; /* iotrace wrote the archive */
	/* Clock: ticks per second; begin and length in ticks; real time in ns. */
	uint64_t resolution, first, length, realtime;

	str_id *string;                 /* by id, like all fields below */
	enum read_attribute *attribute; /* READ_ATTRIBUTES: an attribute of another program */
	uint32_t *parameter;      /* parameter for the attribute's strings; NONE: no parameter */
	uint32_t *device_of_node; /* device of the node, or NONE */
	bool *is_block, *is_span; /* whether the paradigm is that of block requests, or of spans */
	struct io_span span;      /* of the current event */
	struct read_member *member;
	uint32_t *series;   /* series of the metric, or NONE */
	process_id unknown; /* process for locations without a group, or ID_NONE */
	file_id mounted;    /* file whose properties are being read, or ID_NONE */

	/* By thread_id: an ENTER that waits for the record with its handle. */
	struct read_call *call;

	uint64_t read, emitted; /* numbers of events that were read, and emitted */
	struct map cgroup_of;   /* maps a str_id to a cgroup */
};

/* read_defs.c: fills the trace. */
void read_definitions(struct reader *r);
/* Returns the string that a field refers to, or 0. */
static inline str_id read_string(const struct reader *r, const struct value *field)
{
	uint32_t id = walk_id(&r->walk, KIND_STRING, field->is);

	return id == NONE ? 0 : r->string[id];
}
static inline bool read_is(const struct reader *r, str_id id, const char *text)
{
	return !strcmp(trace_text(r->trace, id), text);
}
uint32_t read_add_device(struct reader *r, str_id name, const char *number); /* "8:0", or "" */

/* read_name.c: parse names that iotrace has composed. */
void read_name_process(struct reader *r, struct trace_process *process);
void read_name_thread(struct reader *r, struct trace_thread *thread);
uint32_t read_device_number(const char *text);

/* read_property.c: reads a property. The second completes the mount of the last file. */
void read_property(struct reader *r, const struct record *record);
void read_property_end(struct reader *r);

/* read_emit.c: the string before our sink escaped it; the time in ns of the trace. */
str_id read_text(struct reader *r, const char *text, size_t length);
uint64_t read_time(const struct reader *r, uint64_t time);
/* Returns an event of this kind, with the thread and the time of the record. */
struct io_event read_new(const struct reader *r, const struct walk_event *from,
			 enum io_event_kind kind);
/* Emits the event. Counts the attributes that iotrace does not read. */
void read_emit(struct reader *r, const struct walk_event *from, const struct io_event *event);
/* Counts an event that is skipped because it refers to something undefined. */
void read_ignore(struct reader *r);
/* Emits the events that still wait at the end. */
void read_end(struct reader *r);
/* Returns the value of the event's attribute, or NULL if it has none of this type. */
const struct value *read_attribute(const struct reader *r, const struct walk_event *from,
				   enum read_attribute id, OTF2_Type type);
/* The same for integers of any type, converted to 64 bits. Returns whether there is one. */
bool read_attribute_number(const struct reader *r, const struct walk_event *from,
			   enum read_attribute id, uint64_t *number);
/* Returns the string, or 0. */
str_id read_attribute_string(const struct reader *r, const struct walk_event *from,
			     enum read_attribute id);
/* Returns what is said of a span; lent until the next event. */
const struct io_span *read_span(struct reader *r, const struct walk_event *from);
/* Returns whether the event says why an end was not seen. */
bool read_why(struct reader *r, const struct walk_event *from, enum io_end *end);
/* Returns the file, or ID_NONE. */
file_id read_attribute_file(const struct reader *r, const struct walk_event *from);
/* Returns the handle, or ID_NONE. Notes that the event's location uses it. */
handle_id read_handle(struct reader *r, const struct walk_event *from, const struct value *field);

/* read_event.c: reads an event. */
void read_event(struct reader *r, const struct walk_event *from);
/* read_io.c: the same for handles and operations. */
void read_io(struct reader *r, const struct walk_event *from);

/* read_flags.c: returns O_* flags. */
uint32_t read_open_flags(uint64_t mode, uint64_t creation, uint64_t status);

void read_notes(struct reader *r);
void read_marks(struct reader *r);
