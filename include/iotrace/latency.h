/*
 * latency: the durations of spans as numbers: sums, extremes, histograms, a heat map, and the slowest spans.
 *
 * span_engine finds the spans, and sinks print the numbers. All numbers except the slowest spans can be added to those of another
 * collection. Memory grows with the number of groups (about 2 KB for each, and half a kilobyte for each power of two that its
 * durations reach), never with the number of spans.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/span_engine.h>

enum { HEAT_COLUMNS = 256, HEAT_OCTAVE = 2, HEAT_ROWS = 64 * HEAT_OCTAVE };

/*
 * Counts of spans by end and by duration. A column is `step` ns wide; if there are too many, each two are merged. Row r has the
 * durations from heat_from(r) to heat_to(r).
 */
struct latency_heat {
	uint64_t start, step; /* step 0: the map is empty */
	uint32_t columns;     /* number of used columns */
	uint32_t first, rows; /* cells exist for `rows` rows from `first` on */
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
	long double squares;        /* sum of squares */
	uint64_t bytes;
	bool is_rest; /* groups for which the counting code had no space; `group` is meaningless */
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
/* Returns the standard deviation of all spans, not the estimate from a sample. */
double latency_deviation(const struct latency_group *group);

/* An event in the thread of a slow span, before the span ended. */
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
	uint64_t above;   /* only longer spans count, ns; 0: all */
	uint32_t slowest; /* number of slowest spans that are kept */
	uint32_t context; /* number of events before each of them */
	bool has_heat;
};

struct latency;

struct latency *latency_new(const struct latency_options *options);
void latency_free(struct latency *latency);
/* For struct span_output; the context is the struct latency. */
void latency_seen(void *latency, const struct span_seen *seen);
void latency_note(void *latency, const struct span_note *note);
void latency_add(struct latency *latency, const struct latency_part *part);
/* Counts this number of further spans that were not above the limit. */
void latency_add_below(struct latency *latency, uint64_t count);
/* Clears all numbers for the next interval, but keeps the recent events of threads. */
void latency_clear(struct latency *latency);

/* Returns groups by span, those with the largest sum first. Lent until the next event; each call sorts them. */
uint32_t latency_groups(struct latency *latency, const struct latency_group *const **group);
/* Returns the total of all groups of a span. Lent until the next call for this span. */
const struct latency_group *latency_total(struct latency *latency, uint32_t span);
/* Returns the slowest spans, the longest first. Lent until the next event. */
uint32_t latency_slowest(struct latency *latency, const struct latency_slow **slow);
/* Returns the number of spans that were not above the limit. */
uint64_t latency_below(const struct latency *latency);
