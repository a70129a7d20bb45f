/*
 * walk: an archive, from its definitions to its last event, in order of time. archive_read() and archive_verify() both use this
 * walk.
 *
 *	anchor.c, file.c, record.c	the files, chunk by chunk and field by field; nothing in them is believed
 *	walk.c		opens the archive, gives each definition an id, passes definitions and markers on
 *	walk_events.c	merges the events of all locations
 *	walk_op.c	operations from their begin to their end
 *	walk_local.c	applies a location's own definitions to its events: other ids, other times
 *	verify*.c	says what is wrong
 *	read*.c		gives what the model gives
 *
 * For each kind, definitions get ids from 0 upwards in their order. A reference may have any value, come before its definition,
 * or refer to nothing.
 */
#pragma once

#include "file/anchor.h"
#include "file/file.h"

#include <iotrace/archive.h>
#include <iotrace/map.h>
#include <string.h>

/* The definitions of a kind. */
struct defined {
	uint32_t count;
	uint32_t dense;   /* references below this number equal their id */
	struct map id_of; /* ids of all other references */
};

struct local; /* walk_local.c */

struct location {
	uint64_t ref;
	uint64_t events;     /* number of events, according to its definition */
	bool has_file;       /* its file is readable */
	struct local *local; /* while events are read; NULL: it has no local definitions */
	struct file *file;   /* while events are read */
};

/* An operation in flight. */
struct operation {
	uint64_t id;     /* the matching id */
	uint64_t key;    /* walk_pair() of handle and id */
	uint64_t number; /* number of operations in the archive before this one */
	uint32_t location;
	bool is_in_flight, is_non_blocking, is_issued;
	uint64_t mode;          /* OTF2_IoOperationMode */
	uint64_t begun, issued; /* ticks */
	enum request_kind type; /* for archive_read(): more exact than the mode */
};

struct walk {
	const char *dir;
	struct archive_report *report;
	struct anchor anchor;
	bool is_of_iotrace;
	/* Reports everything that OTF2 forbids; otherwise only what is unreadable. */
	bool is_verified;
	struct defined defined[KINDS];
	uint64_t definitions;
	uint32_t
		looked_at; /* 1 + the location whose files are being read; 0: other files are being read */
	struct location *location; /* by id */
	uint32_t locations, location_capacity;

	struct map operation_of; /* by walk_pair() of handle and matching id */
	struct operation *operation;
	uint32_t operations, operation_capacity;
	uint32_t *free_operation;
	uint32_t free_operations, free_capacity;
	uint64_t begun;
};

/* Opens the archive and assigns ids to its definitions. Returns 0, or -errno with a message. */
int walk_open(struct walk *walk, struct error *err);
/* Calls on() for each definition, in the order of the file. The id is NONE for records that define nothing. */
void walk_definitions(struct walk *walk,
		      void (*on)(void *context, const struct record *definition, uint32_t id),
		      void *context);
/* The same for the markers and their definitions, if there are any. */
void walk_markers(struct walk *walk, void (*on)(void *context, const struct record *marker),
		  void *context);

struct walk_event {
	uint32_t location;                        /* id of the location */
	uint64_t time;                            /* in ticks of the archive's clock */
	const struct record *record, *attributes; /* lent */
	/* The operation that it begins, issues or ends; NULL: no such operation is in flight. */
	struct operation *operation;
	bool is_again; /* it begins an operation that is already in flight */
};

/*
 * Calls on() for the events of all readable files, in order of time; events of the same time are in the order of the locations'
 * references. Unreadable parts are findings. Stops when on() returns false. Returns whether any file was readable.
 */
bool walk_events(struct walk *walk, bool (*on)(void *context, const struct walk_event *event),
		 void *context);
void walk_release(struct walk *walk);

/* Returns the id of the reference, or NONE. */
static inline uint32_t walk_id(const struct walk *walk, uint8_t kind, uint64_t ref)
{
	const struct defined *defined = &walk->defined[kind];

	return ref < defined->dense ? (uint32_t)ref : map_get(&defined->id_of, ref);
}
/* The same for a field. */
static inline uint32_t walk_id_of(const struct walk *walk, const struct value *field)
{
	return walk_id(walk, field->kind, field->is);
}
/* Returns whether the field refers to nothing (OTF2's "undefined"). */
static inline bool walk_is_undefined(const struct value *field)
{
	return field->is == (field->kind == KIND_LOCATION ? OTF2_UNDEFINED_LOCATION : UINT32_MAX);
}
/* Returns a key for the pair; in practice it is unique. */
uint64_t walk_pair(uint64_t first, uint64_t second);
/* OTF2's name of each kind. */
extern const char *const walk_kind_name[KINDS];

/* Reports something that OTF2 forbids. Only the first findings are kept. */
void walk_found(struct walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what OTF2 allows, but iotrace promises to avoid. Does nothing if another program wrote the archive. */
void walk_deviates(struct walk *walk, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* walk.c: returns a file of the archive for file_begin(). */
struct file walk_file(const struct walk *walk, const char *name, enum content content);
/* Reads a file to its end, and counts its records. Returns false if it is damaged; that is a finding. */
bool walk_check(struct walk *walk, struct file *file, uint64_t *records);

/* walk_op.c: called before and after an event is passed on. */
void walk_op_before(struct walk *walk, struct walk_event *event);
void walk_op_behind(struct walk *walk, const struct walk_event *event);

/* walk_local.c: reads the location's own definitions, if there are any. Returns false if they are damaged. */
bool local_read(struct walk *walk, struct location *location);
/* Replaces local references in a record by those of the archive. */
void local_map(const struct local *local, struct record *record);
/* Converts a time of the location to the archive's time. Times must come in increasing order. */
uint64_t local_time(struct local *local, uint64_t time);
void local_free(struct local *local);
