/*
 * counted: spans of tracepoints whose begins and ends meet in the kernel, so that only numbers leave it.
 *
 * What is to be counted is part of a recording. If the kernel cannot count a span, its events are recorded instead.
 */
#pragma once

#include <iotrace/list.h>
#include <stdbool.h>
#include <stdint.h>

struct live;

enum { COUNTED_KEYS = 4, COUNTED_TESTS = 8, COUNTED_BUCKETS = 16 };

enum counted_compare {
	COUNTED_EQUAL,
	COUNTED_UNEQUAL,
	COUNTED_LESS,
	COUNTED_LESS_EQUAL,
	COUNTED_GREATER,
	COUNTED_GREATER_EQUAL,
};

struct counted_test {
	const char *field;
	enum counted_compare compare;
	bool is_negative;    /* number: of an int64_t */
	bool is_alternative; /* "||" is before it, which binds less than "&&" */
	uint64_t number;
};

/* Fields are those of the tracepoint, or else pid, tid and cpu of the task that it happened in. */
struct counted_point {
	const char *event; /* SYSTEM:EVENT; NULL: there is none */
	const char *key[COUNTED_KEYS];
	struct counted_test test[COUNTED_TESTS];
	uint32_t tests;
};

enum { COUNTED_BEGIN, COUNTED_END, COUNTED_CANCEL, COUNTED_SIDES };

enum counted_by {
	COUNTED_BY_GROUP,
	COUNTED_BY_NOTHING,
	COUNTED_BY_PROCESS, /* that it began in, by its id; the same of threads */
	COUNTED_BY_THREAD,
};

/* Lent for the life of the recording. */
struct counted_span {
	const char *name;
	struct counted_point side[COUNTED_SIDES];
	uint32_t keys;
	enum counted_by by;
	const char *group, *size; /* of the begin, or else of the end; NULL: none */
	bool is_owner_in_key;     /* the thread that the first field of the key names has it */
	bool is_everywhere; /* events of all tasks are needed, also of those that are not recorded */
	uint64_t above;     /* what took no longer is only counted; 0: all is added up */
	uint32_t room;      /* for so many open ones */
	struct text_list events; /* what must be recorded where it cannot be counted */
};

/* What the kernel found. */
struct counted_books {
	uint64_t begun, ended, cancelled, begun_again, left;
	uint64_t ends_without_begin, excluded;
	uint64_t below;       /* of those that ended: that took no longer than `above` */
	uint64_t full;        /* begins that found no room */
	uint64_t ungrouped;   /* that ended, and whose group found no room */
	uint64_t missed;      /* events that the kernel did not pass to a program */
	uint64_t first, last; /* from when to when */
};

/* Spans of one group that took about as long: a part of a <iotrace/histogram.h>. */
struct counted_part {
	uint64_t group;
	bool is_rest; /* of groups that found no room */
	uint64_t sum, min, max, bytes;
	uint64_t squares[2];    /* their sum, the low half first */
	uint32_t first;         /* number of the first bucket */
	const uint64_t *bucket; /* COUNTED_BUCKETS */
};

struct counted_open {
	uint64_t begin, group, bytes;
	uint32_t pid, tid;
};

/* Returns why the span with this index is not counted in the kernel, or NULL: it is. Lent. */
const char *live_counted_why(const struct live *live, uint32_t index);
/* The rest is for a recording that has ended, and spans that were counted. */
struct counted_books live_counted_books(const struct live *live, uint32_t index);
void live_counted_parts(const struct live *live, uint32_t index,
			void (*call)(void *context, const struct counted_part *part),
			void *context);
/* Those that have not ended. May be called once. Returns 0 or -errno. */
int live_counted_open(struct live *live, uint32_t index,
		      void (*call)(void *context, const struct counted_open *open), void *context);
