/*
 * record: the records in the files of an archive, and their fields.
 *
 * Nothing in a file is trusted. A record whose fields need more bytes than it has is refused with a reason.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NONE = UINT32_MAX };

/* Kinds of definitions that others, or events, refer to. */
enum kind {
	KIND_NONE, /* of a field: it is no reference */
#define KIND(id, ...) KIND_##id,
#include "record.def"
	KINDS
};

/* Of a file. */
enum content {
	CONTENT_EVENTS,
	CONTENT_DEFINITIONS,
	CONTENT_LOCAL_DEFINITIONS,
	CONTENT_MARKERS,
};

/* Types of records. */
enum {
#define EVENT(type, id, ...)  EVENT_##id = (type),
#define GLOBAL(type, id, ...) DEFINE_##id = (type),
#define LOCAL(type, id, ...)  LOCAL_##id = (type),
#define DEFINE(type, id, ...) DEFINE_##id = (type),
#define MARKER(type, id, ...) MARKER_##id = (type),
#include "record.def"
};

enum { RECORD_TEXTS = 2 };

struct value {
	uint64_t
		is; /* the bits of a number that may have a fraction, too; undefined: all bits that it has */
	uint8_t kind; /* enum kind: of what it refers to */
	uint8_t type; /* OTF2_Type, of a value that says its type */
};

/* What the table knows of a type of records. */
struct row {
	const char *name, *fields;
};

struct record {
	uint8_t type;
	const struct row *row; /* NULL: of an unknown type, without values */
	struct value *value;   /* of the fields in their order in the file; owned */
	uint32_t values, capacity;
	const char *text[RECORD_TEXTS]; /* lent until the next record of the file */
	uint32_t texts;
};

/* How a record is taken apart. */
struct taking {
	struct record *record;
	uint64_t offset;    /* of the record in its file, for sentences */
	const uint8_t *end; /* of the record, or of what may be it where its length is not known */
	bool is_big;        /* its byte order */
	uint64_t highest;   /* id that must be in order, and how many were not: of the whole file */
	uint32_t disorder;
	char wrong[160]; /* empty: nothing */
};

/* Returns the row of a type, or NULL. */
const struct row *record_row(enum content content, uint8_t type);
/* Returns whether records of that type have no length before their fields. */
static inline bool record_is_short(const struct row *row)
{
	return row && *row->fields == '=';
}
/* Returns whether the first field is the id of what the record defines. */
static inline bool record_defines(const struct row *row)
{
	return row && *row->fields == '!';
}
/* Parses the fields at a place. Returns the place after them, or NULL with the reason in t->wrong. */
const uint8_t *record_take(struct taking *t, const uint8_t *at);
/* Sets the reason, unless there is one already. */
void record_wrong(struct taking *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns a number of that many bytes. */
uint64_t record_number(const uint8_t *at, size_t size, bool is_big);
