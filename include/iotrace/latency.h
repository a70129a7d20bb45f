/*
 * latency: how long spans took, as numbers: sums, extremes, histograms, a map over time, and the slowest.
 *
 * span_engine gives the spans, and the sinks tell the numbers. All numbers but the slowest can be added to those of another
 * collection. Memory grows with the groups, about 2 KB for each and half a kilobyte for each power of two that its latencies
 * reach, never with spans.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/span_engine.h>

enum { HEAT_COLUMNS = 256, HEAT_OCTAVE = 2, HEAT_ROWS = 64 * HEAT_OCTAVE };

/*
 * How many spans ended when, and how long they had taken. A column is `step` ns wide; when there are too many, two become one.
 * Row r has the latencies from heat_from(r) to heat_to(r).
 */
struct latency_heat {
	uint64_t start, step; /* step 0: it is empty */
	uint32_t columns;     /* that are used */
	uint32_t first, rows; /* cells are there for `rows` rows from `first` on */
	uint32_t *cell;       /* [column * rows + row - first] */
};

void heat_add(struct latency_heat *heat, uint64_t time, uint64_t latency);
void heat_release(struct latency_heat *heat);
uint32_t heat_cell(const struct latency_heat *heat, uint32_t column, uint32_t row);
uint64_t heat_from(uint32_t row);
uint64_t heat_to(uint32_t row);

struct latency_group {
	uint32_t span;
	uint64_t group;             /* span_engine_group() */
	struct histogram histogram; /* its count, sum, min and max are exact */
	long double squares;        /* the sum of them */
	uint64_t bytes;
	bool is_rest; /* groups that found no room where they were counted; `group` says nothing */
	struct latency_heat heat;
};

/* Spans of one group that were counted elsewhere. */
struct latency_part {
	uint32_t span;
	uint64_t group;
	bool is_rest;
	struct histogram_part histogram;
	long double squares;
	uint64_t bytes;
};

double latency_average(const struct latency_group *group);
double latency_deviation(const struct latency_group *group); /* of all, not of a sample */

/* What happened in the thread of a slow span before it ended. */
struct latency_context {
	uint64_t time;
	char *text;
};

struct latency_slow {
	struct span_seen seen;
	struct latency_context *context; /* in the order of time */
	uint32_t contexts;
};

struct latency_options {
	uint64_t above;   /* only spans that took longer, ns; 0: all */
	uint32_t slowest; /* how many are kept */
	uint32_t context; /* events before each of them */
	bool has_heat;
};

struct latency;

struct latency *latency_new(const struct latency_options *options);
void latency_free(struct latency *latency);
/* For struct span_output; the context is the struct latency. */
void latency_seen(void *latency, const struct span_seen *seen);
void latency_note(void *latency, const struct span_note *note);
void latency_add(struct latency *latency, const struct latency_part *part);
/* So many more were not above the limit. */
void latency_add_below(struct latency *latency, uint64_t count);
/* Forgets all numbers but keeps what is known of threads: the next interval begins. */
void latency_clear(struct latency *latency);

/* Groups by their span, those with the largest sum first. Lent until the next event; sorted by each call. */
uint32_t latency_groups(struct latency *latency, const struct latency_group *const **group);
/* The whole of a span: all its groups. Lent. */
const struct latency_group *latency_total(const struct latency *latency, uint32_t span);
/* The longest first. Lent until the next event. */
uint32_t latency_slowest(struct latency *latency, const struct latency_slow **slow);
/* How many spans were left out because they were not above the limit. */
uint64_t latency_below(const struct latency *latency);
