/*
 * span: what begins and ends. A definition of one: a row of spans.def, or a sentence of the user's.
 *
 *   NAME: BEGIN [if COND] -> END [if COND] by FIELD[,FIELD...] [group FIELD [as NAME]] [size FIELD] [cancel EVENT [if COND] [by FIELD,...]]
 *
 * BEGIN, END and EVENT are tracepoints, SYSTEM:EVENT, or probes of programs: <iotrace/probe_spec.h>. There may be several: A or B. A
 * FIELD is one of the event's, or, if it has none of that name, pid, tid, cpu or comm of the task that it happened in; A/B is A of the
 * begin and B of the end. COND: FIELD OP VALUE, joined by && and, weaker, ||. OP: == != < <= > >= and ~, which matches a glob.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { SPAN_KEYS = 4, SPAN_TESTS = 8, SPANS_MAX = 16 };

/* Where begins and ends come from. All but tracepoints: from the io_events that the model or an archive gives. */
enum span_source {
	SPAN_OF_TRACEPOINTS,
	SPAN_OF_CALLS,
	SPAN_OF_OPERATIONS,
	SPAN_OF_REQUESTS, /* of block devices: whole, ... */
	SPAN_OF_QUEUE,    /* ... until they were issued, ... */
	SPAN_OF_SERVICE,  /* ... and from then on */
	SPAN_OF_FAULTS,   /* operations outside of calls */
	SPAN_OF_DESCRIPTORS,
};

/* Which events must be recorded so that the spans of a task can be followed. */
enum span_where {
	SPAN_IN_TASK,  /* those of the task */
	SPAN_ANYWHERE, /* those of the whole machine: a span is the task's in which it began */
	SPAN_OF_KEY,   /* the same, but it is the thread's that the first field of the key names */
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
	bool is_negative; /* number: of an int64_t */
	uint64_t number;
	bool is_alternative; /* "||" is before it */
};

struct span_point {
	char *event; /* SYSTEM:EVENT; NULL: there is none. Of a probe, until span_find_probes(): as it was written */
	char *entry; /* an event that the same thread has before it: it has the fields that this one lacks. NULL: none */
	struct span_test test[SPAN_TESTS];
	uint32_t tests;
	char *key[SPAN_KEYS]; /* as many as the span has; of a cancel perhaps fewer */
	bool is_probe;        /* of a program; its event is the tracepoint that the probe makes */
	bool is_return;       /* of a function: the event is behind the call */
	char *key_text[SPAN_KEYS]; /* as it was written; NULL: as the key */
	uint32_t keys;
	struct span_point
		*other; /* another event that does the same, with the same keys; NULL: none */
};

enum span_side { SPAN_BEGIN, SPAN_END, SPAN_CANCEL, SPAN_SIDES };

struct span {
	char *name;
	char *help; /* NULL: none */
	enum span_source source;
	enum span_where where;
	struct span_point side[SPAN_SIDES]; /* of tracepoints only */
	char *group;      /* a field of the begin, or else of the end; NULL: none */
	char *group_name; /* what it is called; NULL: as the field */
	char *size;
	bool has_probes; /* some of its events are probes of programs */
	char *context; /* tracepoints that tell why a span was long, separated by blanks; NULL: none */
};

/*
 * Returns a span, or NULL with a sentence that says which word is wrong. `where` is SPAN_IN_TASK if all events of a span are the same
 * task's by its key (it has pid or tid), else SPAN_ANYWHERE.
 */
struct span *span_parse(const char *text, struct error *err);
void span_free(struct span *span);

/* The rows of spans.def. Returns a copy of row `index`, which the caller frees; NULL beyond the last. */
struct span *span_row(uint32_t index);
/* Returns a copy of the row with this name, or NULL with a sentence that has the nearest one. */
struct span *span_find(const char *name, struct error *err);

/*
 * Adds the tracepoints that the span needs, as "SYSTEM:EVENT=FIELD,..." with the fields that it needs of each; one without
 * fields of its own as "SYSTEM:EVENT=". Each text belongs to the caller. Tracepoints that are there get more fields.
 */
void span_add_events(const struct span *span, bool with_context, struct text_list *events);
/* Returns how many points of the span have an entry. */
uint32_t span_entries(const struct span *span);
/* Returns whether pid, tid, cpu or comm is meant, which are no fields of the tracepoint. */
bool span_is_of_task(const char *field);
