/*
 * Private to lib/archive: what is known while an archive is read.
 *
 *	read.c		opens, reads in the right order, closes
 *	read_defs.c	definitions, as they stand in the file
 *	read_trace.c	the same, in the terms of struct trace
 *	read_note.c	what our own archives say besides: properties, iotrace.json
 *	read_flags.c	how files were opened
 *	read_emit.c	what all events share
 *	read_event.c	regions, programs, threads, metrics
 *	read_io.c	handles and operations
 *
 * References may have any value and order, and may name what is defined later or never: a map leads from each kind's references
 * to ids. What names something undefined is left out, and counted.
 */
#pragma once

#include "verify.h"

enum read_attribute { /* of events, in our archives */
#define OTF2_ATTRIBUTE(id, ...) READ_##id,
#include <iotrace/otf2.def>
		      READ_ATTRIBUTES
};

/* What a reference may be to; each kind has a map. */
enum read_kind {
	READ_OF_STRING,    /* str_id */
	READ_OF_ATTRIBUTE, /* index in attribute[] */
	READ_OF_NODE,      /* index in node[] */
	READ_OF_GROUP,     /* process_id */
	READ_OF_LOCATION,  /* thread_id */
	READ_OF_REGION,
	READ_OF_FILE,
	READ_OF_HANDLE,
	READ_OF_PARADIGM, /* 1: of block devices, 0: any other */
	READ_OF_MEMBER,   /* index in member[] */
	READ_OF_SERIES,
	READ_OF_PARAMETER,
	READ_KINDS
};

struct read_node {
	OTF2_StringRef name, class;
	uint32_t device; /* id of what it stands for, or NONE */
};

/* Of a node, a location group, a location or a file. */
struct read_property {
	enum read_kind kind;
	uint64_t of;
	OTF2_StringRef name;
	OTF2_Type type;
	OTF2_AttributeValue value;
};

struct read_member {
	OTF2_StringRef name, unit, description;
	bool is_accumulated, is_signed, is_real;
};

/* An operation that has begun. */
struct read_op {
	uint64_t id; /* in the trace */
	enum io_mode mode;
	bool is_non_blocking;
	enum request_kind type;
	uint64_t begun, issued;
	uint32_t next_free;
};

struct reader {
	struct verify verify; /* the files, checked before the library sees them */
	struct archive_report report;
	const struct archive_source *source;
	struct trace *trace;
	bool is_ours;                                 /* iotrace wrote it */
	uint64_t resolution, first, length, realtime; /* the clock's ticks in a second; ticks; ns */

	struct map of[READ_KINDS];
	struct {
		OTF2_StringRef name;
		enum read_attribute id; /* READ_ATTRIBUTES: none of ours */
	} * attribute;
	uint32_t attributes, attribute_capacity;
	struct read_node *node;
	uint32_t nodes, node_capacity;
	OTF2_SystemTreeNodeRef *node_of_group; /* by process_id */
	uint32_t node_of_group_capacity;
	OTF2_IoParadigmRef *paradigm_of_handle; /* by handle_id */
	uint32_t paradigm_of_handle_capacity;
	struct read_property *property;
	uint32_t properties, property_capacity;
	struct read_member *member;
	uint32_t members, member_capacity;

	struct read_call {
		struct io_event event
			[2]; /* ENTER, and what dup2() destroys before it says what it duplicates */
		uint32_t events;
	} * call; /* by thread_id: waits for the record that says which handle the ENTER is of */

	struct map op_of; /* by handle and matchingId, as verify_pair() mixes them */
	struct read_op *op;
	uint32_t ops, op_capacity, free_op;
	uint64_t next_op, emitted; /* the second: events that were handed on */
	struct map cgroup_of;      /* by str_id */
};

/* Returns the id of what is defined, or ID_NONE. */
static inline uint32_t read_id(const struct reader *r, enum read_kind kind, uint64_t ref)
{
	return map_get(&r->of[kind], ref);
}
/* Returns the string, or 0. */
static inline str_id read_string(const struct reader *r, OTF2_StringRef ref)
{
	uint32_t id = read_id(r, READ_OF_STRING, ref);
	return id == MAP_NONE ? 0 : id;
}
/* read_emit.c: the string as it was before our sink escaped it; ns of the trace. */
str_id read_text(struct reader *r, const char *text, size_t length);
uint32_t read_add_device(struct reader *r, str_id name, const char *number); /* "8:0", or "" */
uint64_t read_time(const struct reader *r, OTF2_TimeStamp time);
/* Hands on an event of a location that is defined; sets its thread and time. Counts attributes that are none of ours. */
void read_emit(struct reader *r, OTF2_LocationRef location, OTF2_TimeStamp time,
	       OTF2_AttributeList *attributes, struct io_event *event);
/* The events have ended: hands on what waits. */
void read_end(struct reader *r);
/* Returns whether the event has the attribute, of that type. */
bool read_attribute(const struct reader *r, OTF2_AttributeList *list, enum read_attribute id,
		    OTF2_Type type, OTF2_AttributeValue *value);
/* Returns the handle, or ID_NONE, and counts it; `location` uses it. */
handle_id read_handle(struct reader *r, OTF2_LocationRef location, OTF2_IoHandleRef ref);
/* read_flags.c: Returns O_* flags. */
uint32_t read_open_flags(OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
			 OTF2_IoStatusFlag status);
/* Returns a file that an attribute names, or ID_NONE. */
file_id read_file(const struct reader *r, OTF2_AttributeList *list);

/* The steps, each in its file; the first returns whether the definitions could be read. */
bool read_definitions(struct reader *r);
void read_resolve(struct reader *r);
void read_notes(struct reader *r);
void read_marks(struct reader *r);
void read_register(struct reader *r, OTF2_GlobalEvtReader *events);
void read_register_io(OTF2_GlobalEvtReaderCallbacks *callbacks);
