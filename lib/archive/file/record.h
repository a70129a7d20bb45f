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

/* Kinds of definitions that other definitions or events refer to. */
enum kind {
	KIND_NONE, /* for a field: it is no reference */
#define KIND(id, ...) KIND_##id,
#include "record.def"
	KINDS
};

/* Contents of a file. */
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
	/* The bits of the number, which may be a floating-point number; undefined: all bits set. */
	uint64_t is;
	uint8_t kind; /* enum kind: what it refers to */
	uint8_t type; /* OTF2_Type, for a value with its own type */
};

/* A row of the table of records. */
struct row {
	const char *name, *fields;
};

struct record {
	uint8_t type;
	const struct row *row; /* NULL: unknown type, without values */
	struct value *value;   /* the fields in the order of the file; owned */
	uint32_t values, capacity;
	const char *text[RECORD_TEXTS]; /* lent until the next record of the file */
	uint32_t texts;
};

/* The state while a record is parsed. */
struct taking {
	struct record *record;
	uint64_t offset; /* offset of the record in its file, for messages */
	/* End of the record, or of the bytes that may belong to it if its length is unknown. */
	const uint8_t *end;
	bool is_big; /* the byte order of the record */
	/* Highest id of those that must increase, and the number of violations in the file. */
	uint64_t highest;
	uint32_t disorder;
	char wrong[160]; /* empty: no error */
};

/* Returns the row of a type, or NULL. */
const struct row *record_row(enum content content, uint8_t type);
/* Returns whether records of this type have no length before their fields. */
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
/* Sets the error, unless there is one already. */
void record_wrong(struct taking *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns a number with this many bytes. */
uint64_t record_number(const uint8_t *at, size_t size, bool is_big);
