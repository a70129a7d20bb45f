/*
 * tracepoint: the offsets of the fields of a tracepoint in its samples.
 *
 * libtraceevent parses a format file once, into a struct tracepoint. After that, samples are read by memcpy at known
 * offsets. Reads beyond `need` bytes have their own check.
 */
#pragma once

#include "field.h"

#include <iotrace/arch.h>
#include <iotrace/event.h>
#include <iotrace/sample.h>
#include <string.h>

struct error;
struct tracepoint;

enum decoded { DECODED_MALFORMED, DECODED_IGNORED, DECODED_EVENT };

/* Fills kind and union of the event. The sample has at least tp->need bytes of raw data. */
typedef enum decoded (*tracepoint_decoder)(const struct tracepoint *tp, const struct sample *sample,
					   struct event *event);

enum tracepoint_use {
	USE_ALWAYS,
	USE_NUMBERS,         /* the numbers of calls are known */
	USE_NO_TASK_RECORDS, /* there are no FORK and EXIT records */
	USE_NO_EXEC_RECORDS, /* there are no COMM records */
};

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
	uint32_t step;                                /* enum request_step, of a BLOCK */
};

struct tracepoint {
	const struct tracepoint_row *row; /* NULL: its samples are skipped */
	const struct arch *arch; /* of the recording machine (at first: this one); NULL: unknown */
	uint32_t id;             /* attr.config of its events */
	call_id call;            /* of the row's '*' */
	uint16_t need;           /* minimum size of the raw data, for all fields except strings */
	struct field field[TRACEPOINT_FIELDS];
	struct field arg[EVENT_ARGS];
	struct field path[EVENT_PATHS];
};

/*
 * Returns 0, or -errno with a message. For a tracepoint that iotrace does not use, row is NULL. `text` is a format file (lent);
 * release is that of the kernel, or NULL.
 */
int tracepoint_init(struct tracepoint *tp, const char *system, const char *text, size_t size,
		    const char *release, struct error *err);
/* Returns the row, or NULL if no row has this name. */
const struct tracepoint_row *tracepoint_row_find(const char *system, const char *name);
uint32_t tracepoint_rows(void);
const struct tracepoint_row *tracepoint_row(uint32_t index);

/* See decode_is_passing(); in call.c. The sample has at least tp->need bytes of raw data. */
bool tracepoint_is_passing(const struct tracepoint *tp, const struct sample *sample);

/* The decoders of tracepoints.def; in call.c, task.c, block.c and aio.c. */
#define TRACEPOINT(system, name, decoder, ...)                                                     \
	enum decoded decode_##decoder(const struct tracepoint *tp, const struct sample *sample,    \
				      struct event *event);
#define BLOCK(name, decoder, ...) TRACEPOINT("block", name, block_##decoder, __VA_ARGS__)
#include "tracepoints.def"
#undef BLOCK
#undef TRACEPOINT
