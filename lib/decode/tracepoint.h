/*
 * tracepoint: where the fields of a tracepoint stand in its samples.
 *
 * A format file is read once, through libtraceevent, into a struct tracepoint; after that a sample
 * is read by memcpy at known offsets. Nothing beyond `need` bytes is touched without its own
 * check.
 */
#ifndef IOTRACE_TRACEPOINT_H
#define IOTRACE_TRACEPOINT_H

#include <iotrace/arch.h>
#include <iotrace/event.h>
#include <iotrace/sample.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct error;
struct tracepoint;

enum decoded { DECODED_MALFORMED, DECODED_IGNORED, DECODED_EVENT };

/* Fills kind and union of the event. The sample has at least tp->need bytes of raw data. */
typedef enum decoded (*tracepoint_decoder)(const struct tracepoint *tp, const struct sample *sample,
					   struct event *event);

enum tracepoint_use {
	USE_ALWAYS,
	USE_NUMBERS,         /* it is known what numbers of calls mean */
	USE_NO_TASK_RECORDS, /* no FORK and EXIT records say it already */
	USE_NO_EXEC_RECORDS, /* no COMM records say it already */
};

enum field_shape { FIELD_NONE, FIELD_NUMBER, FIELD_NUMBERS, FIELD_STRING, FIELD_ARGUMENTS };

struct field_wanted {
	enum field_shape shape;
	const char *name; /* see tracepoints.def */
};

enum { TRACEPOINT_FIELDS = 7 };

struct tracepoint_row {
	const char *system;
	const char *name;
	tracepoint_decoder decode;
	enum tracepoint_use use;
	struct field_wanted field[TRACEPOINT_FIELDS]; /* up to the first FIELD_NONE */
};

struct field {
	uint16_t offset;
	uint16_t size;    /* 0: the format has no such field */
	uint16_t element; /* bytes of one element of an array, else size */
	bool is_signed;
	bool is_dynamic;  /* says where a string is: u32, offset below 16 bits of length */
	bool is_relative; /* that offset counts from the end of the field */
};

struct tracepoint {
	const struct tracepoint_row *row; /* NULL: of no interest */
	const struct arch
		*arch; /* of the machine that recorded (at first: this one); NULL: not known */
	uint32_t id;   /* attr.config of its events */
	call_id call;  /* of the row's '*' */
	uint16_t need; /* bytes of raw data that all fields but strings need */
	struct field field[TRACEPOINT_FIELDS];
	struct field arg[EVENT_ARGS];
	struct field path[EVENT_PATHS];
};

/*
 * Returns 0, or -errno with a sentence. A tracepoint that is of no interest is no error: row is
 * NULL. `text` is a format file (lent); release, of the kernel, may be NULL.
 */
int tracepoint_init(struct tracepoint *tp, const char *system, const char *text, size_t size,
		    const char *release, struct error *err);
/* Returns the row, or NULL if no row has this name. */
const struct tracepoint_row *tracepoint_row_find(const char *system, const char *name);
uint32_t tracepoint_rows(void);
const struct tracepoint_row *tracepoint_row(uint32_t index);

static inline int64_t field_value_at(const uint8_t *at, uint32_t size, bool is_signed)
{
	uint64_t v64 = 0;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 8:
		memcpy(&v64, at, 8);
		return (int64_t)v64;
	case 4:
		memcpy(&v32, at, 4);
		return is_signed ? (int32_t)v32 : (int64_t)v32;
	case 2:
		memcpy(&v16, at, 2);
		return is_signed ? (int16_t)v16 : (int64_t)v16;
	case 1:
		return is_signed ? (int8_t)*at : (int64_t)*at;
	default:
		return 0;
	}
}

static inline int64_t field_value(const struct field *field, const uint8_t *raw)
{
	return field_value_at(raw + field->offset, field->size, field->is_signed);
}

/*
 * Finds a field's place. Returns whether it can be used: it has the shape, and lies within what a sample can hold.
 */
struct tep_format_field;
bool field_init(struct field *field, enum field_shape shape, const struct tep_format_field *from);
/* Fills up to `count` values from an array; those that it does not have are 0. */
void field_values(const struct field *field, const uint8_t *raw, uint64_t *value, uint32_t count);
/*
 * Returns whether the string lies inside the sample (no field: true, and at is NULL). Without its
 * NUL.
 */
bool field_string(const struct field *field, const struct sample *sample,
		  struct event_string *string);

/* The decoders of tracepoints.def; in call.c, task.c, block.c and aio.c. */
#define TRACEPOINT(system, name, decoder, ...)                                                     \
	enum decoded decode_##decoder(const struct tracepoint *tp, const struct sample *sample,    \
				      struct event *event);
#include "tracepoints.def"
#undef TRACEPOINT

#ifdef __cplusplus
}
#endif
#endif
