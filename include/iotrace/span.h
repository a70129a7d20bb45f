/*
 * span: something that begins and ends. A row of spans.def defines it, or a text of the user:
 *
 *   NAME: BEGIN [if COND] -> END [if COND] by FIELD[,FIELD...] [group FIELD [as NAME]] [size FIELD] [result FIELD]
 *     [cancel EVENT [if COND] [by FIELD,...]]
 *
 * BEGIN, END and EVENT are tracepoints (SYSTEM:EVENT) or probes of programs (<iotrace/probe_spec.h>). "A or B" are alternatives. A
 * FIELD is a field of the event, or, if the event has no field with this name, pid, tid, cpu or comm of its task. A/B is field A of
 * the begin and B of the end. FIELD&MASK, in a key, is those bits of a number. COND is FIELD OP VALUE; conditions are joined by &&, or by ||, which binds weaker. OP is ==, !=, <, <=,
 * >, >= or ~, which matches a glob.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { SPAN_KEYS = 4, SPAN_TESTS = 8, SPANS_MAX = 16 };

/* The source of begins and ends. All except tracepoints come from the io_events of the model or of an archive. */
enum span_source {
	SPAN_OF_TRACEPOINTS,
	SPAN_OF_CALLS,
	SPAN_OF_OPERATIONS,
	SPAN_OF_REQUESTS, /* block requests: the whole request, ... */
	SPAN_OF_QUEUE,    /* ... until it was issued, ... */
	SPAN_OF_SERVICE,  /* ... and from then on */
	SPAN_OF_FAULTS,   /* page faults: operations outside of calls */
	SPAN_OF_DESCRIPTORS,
	SPAN_OF_ARCHIVE, /* recorded with --span: the archive has them by their name */
};

/* Which events must be recorded to follow the spans of a task. */
enum span_where {
	SPAN_IN_TASK, /* events of the task */
	/* Events of the whole machine: a span belongs to the task in which it began. */
	SPAN_ANYWHERE,
	/* The same, but the first field of the key names the thread that it belongs to. */
	SPAN_OF_KEY,
};

enum span_compare {
	SPAN_EQUAL,
	SPAN_UNEQUAL,
	SPAN_LESS,
	SPAN_LESS_EQUAL,
	SPAN_GREATER,
	SPAN_GREATER_EQUAL,
	SPAN_MATCHES,
};

struct span_test {
	char *field;
	enum span_compare compare;
	char *text; /* as it was written */
	bool is_number;
	bool is_negative; /* number is an int64_t */
	uint64_t number;
	bool is_alternative; /* it follows "||" */
};

struct span_point {
	/* SYSTEM:EVENT; NULL: none. For a probe, as the user wrote it, until span_find_probes(). */
	char *event;
	/* An earlier event of the same thread, with fields that this one lacks; NULL: none. */
	char *entry;
	struct span_test test[SPAN_TESTS];
	uint32_t tests;
	char *key[SPAN_KEYS];     /* as many as the span has; a cancel may have fewer */
	uint64_t mask[SPAN_KEYS]; /* the bits of the key that count; 0: all */
	bool is_probe;  /* a probe of a program; `event` is the tracepoint that it becomes */
	bool is_return; /* return of a function: the event is after the call */
	char *key_text[SPAN_KEYS]; /* as the user wrote it; NULL: the same as the key */
	uint32_t keys;
	struct span_point *other; /* an alternative event with the same keys; NULL: none */
};

enum span_side { SPAN_BEGIN, SPAN_END, SPAN_CANCEL, SPAN_SIDES };

struct span {
	char *name;
	const void *row;  /* of spans.def; NULL: it is none */
	char *definition; /* as it was written; NULL: it is of no tracepoints */
	char *help;       /* NULL: none */
	enum span_source source;
	enum span_where where;
	struct span_point side[SPAN_SIDES]; /* for tracepoints only */
	char *group;      /* a field of the begin, or otherwise of the end; NULL: none */
	char *group_name; /* title of the groups; NULL: the name of the field */
	char *size;
	char *result; /* a field of the end; negative: the span failed. NULL: none */
	const struct span_ways
		*ways;   /* which data it moves: <iotrace/span_ways.h>; NULL: not known */
	bool has_probes; /* some of its events are probes of programs */
	bool is_nested;  /* it nests with the calls and all other such spans of its thread */
	/* Tracepoints that help to explain why a span was long, separated by blanks; NULL: none. */
	char *context;
};

/* Returns whether its spans are made by system calls of threads. Then their stacks are those of these calls. */
static inline bool span_is_of_calls(const struct span *span)
{
	return span->source == SPAN_OF_CALLS || span->source == SPAN_OF_OPERATIONS ||
	       span->source == SPAN_OF_DESCRIPTORS;
}

/* Returns whether its events are those of all system calls, raw_syscalls:*. */
bool span_is_of_raw_calls(const struct span *span);

static inline bool span_is_of_requests(const struct span *span)
{
	return span->source >= SPAN_OF_REQUESTS && span->source <= SPAN_OF_SERVICE;
}

/*
 * Returns a span, or NULL with a message that names the wrong word. `where` is SPAN_IN_TASK if all events of a span have the same
 * task because the key contains pid or tid, otherwise SPAN_ANYWHERE.
 */
struct span *span_parse(const char *text, struct error *err);
void span_free(struct span *span);

/* Returns a copy of row `index` of spans.def, which the caller frees; NULL after the last. */
struct span *span_row(uint32_t index);
/* Returns a copy of the row with this name, or NULL with a message that contains the nearest name. */
struct span *span_find(const char *name, struct error *err);

/*
 * Gives a row its next definition, for a program that does not have the probes of this one. Returns false if there is none; then the
 * span is as before.
 */
bool span_use_other(struct span *span);

/* Returns a span of which only the name is known: SPAN_OF_ARCHIVE. */
struct span *span_recorded(const char *name);

/*
 * Adds the tracepoints that the span needs, as "SYSTEM:EVENT=FIELD,..." with the needed fields, or "SYSTEM:EVENT=" without
 * fields. The caller owns each text. Tracepoints that are already in the list get more fields.
 */
void span_add_events(const struct span *span, bool with_context, struct text_list *events);
/* Returns how many points of the span have an entry. */
uint32_t span_entries(const struct span *span);
/* Returns whether the name is pid, tid, cpu or comm, which are not fields of the tracepoint. */
bool span_is_of_task(const char *field);
