/*
 * Private to lib/archive: what is known while an archive is read. See walk.h.
 *
 *	read.c		the whole
 *	read_defs.c	definitions, in the terms of struct trace
 *	read_name.c	what names of our own archives say
 *	read_property.c	what is said of nodes, groups, locations and files
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

#include "walk.h"

enum read_attribute { /* of events, in our archives */
#define OTF2_ATTRIBUTE(id, ...) READ_##id,
#include <iotrace/otf2.def>
		      READ_ATTRIBUTES
};

struct read_member {
	str_id name, unit, description;
	bool is_accumulated, is_signed, is_real;
};

struct read_call {
	struct io_event
		event[2]; /* ENTER, and what dup2() destroys before it says what it duplicates */
	uint32_t events;
};

struct reader {
	struct walk walk;
	struct archive_report report;
	const struct archive_source *source;
	struct trace *
		trace; /* its processes, threads, regions, files and handles have the ids of the walk */
	bool is_ours;                                 /* iotrace wrote it */
	uint64_t resolution, first, length, realtime; /* the clock's ticks in a second; ticks; ns */

	str_id *string;                 /* by id, as all that follows */
	enum read_attribute *attribute; /* READ_ATTRIBUTES: none of ours */
	uint32_t *
		parameter; /* of an attribute: what its values are as strings; NONE: no parameter */
	uint32_t *device_of_node; /* id of the device that it stands for, or NONE */
	bool *is_block;           /* a paradigm */
	struct read_member *member;
	uint32_t *series;   /* of a metric, or NONE */
	process_id unknown; /* of locations without a group, or ID_NONE */
	file_id mounted;    /* whose properties are being read, or ID_NONE */

	struct read_call *
		call; /* by thread_id: waits for the record that says which handle the ENTER is of */

	uint64_t read, emitted; /* events that were read, and those that were handed on */
	struct map cgroup_of;   /* by str_id */
};

/* read_defs.c: fills in the trace. */
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

/* read_name.c: take names apart that iotrace put together. */
void read_name_process(struct reader *r, struct trace_process *process);
void read_name_thread(struct reader *r, struct trace_thread *thread);
uint32_t read_device_number(const char *text);

/* read_property.c: takes a property. At the end, the mount of the last file is due. */
void read_property(struct reader *r, const struct record *record);
void read_property_end(struct reader *r);

/* read_emit.c: the string as it was before our sink escaped it; ns of the trace. */
str_id read_text(struct reader *r, const char *text, size_t length);
uint64_t read_time(const struct reader *r, uint64_t time);
/* Returns an event of the kind, with the thread and the time of what was read. */
struct io_event read_new(const struct reader *r, const struct walk_event *from,
			 enum io_event_kind kind);
/* Passes the event on. Counts the attributes that iotrace does not read. */
void read_emit(struct reader *r, const struct walk_event *from, const struct io_event *event);
/* Counts an event that is skipped, because it refers to something undefined. */
void read_ignore(struct reader *r);
/* Passes on the events that still wait at the end. */
void read_end(struct reader *r);
/* Returns the value of the event's attribute, or NULL: it has none of that type. */
const struct value *read_attribute(const struct reader *r, const struct walk_event *from,
				   enum read_attribute id, OTF2_Type type);
/* The same of integers of any type, as 64 bits. Returns whether there is one. */
bool read_attribute_number(const struct reader *r, const struct walk_event *from,
			   enum read_attribute id, uint64_t *number);
/* Returns the string, or 0. */
str_id read_attribute_string(const struct reader *r, const struct walk_event *from,
			     enum read_attribute id);
/* Returns the file, or ID_NONE. */
file_id read_attribute_file(const struct reader *r, const struct walk_event *from);
/* Returns the handle, or ID_NONE; the event's location uses it. */
handle_id read_handle(struct reader *r, const struct walk_event *from, const struct value *field);

/* read_event.c: takes an event. */
void read_event(struct reader *r, const struct walk_event *from);
/* read_io.c: the same for handles and operations. */
void read_io(struct reader *r, const struct walk_event *from);

/* read_flags.c: Returns O_* flags. */
uint32_t read_open_flags(uint64_t mode, uint64_t creation, uint64_t status);

void read_notes(struct reader *r);
void read_marks(struct reader *r);
