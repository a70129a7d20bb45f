/*
 * span_report: what was found of spans, as text, JSON and pictures.
 */
#pragma once

#include <iotrace/latency.h>
#include <iotrace/leaks.h>
#include <stdio.h>

struct tally;
struct trace;

/* A function that a stack has: see <iotrace/program.h>. NULL: not known. */
struct span_symbol {
	const char *function, *source,
		*file;    /* source: its file in the source; file: the program, or "[kernel]" */
	uint32_t line;    /* in the source; 0: not known */
	uint64_t address; /* in the file, or in the kernel */
	bool is_inline;
};

/* Finds functions of stacks: calls with each, the innermost first. Lent for the call. */
struct span_symbols {
	void (*of)(void *self, uint32_t stack,
		   void (*call)(void *context, const struct span_symbol *symbol), void *context);
	void *self;
};

/* Lent for each call. */
struct span_report {
	const struct span_engine *engine;
	const struct span *const *span;
	uint32_t spans;
	struct latency *latency;
	struct leaks *leaks;
	const struct trace *trace;
	const struct tally *tally;
	uint64_t from, to; /* the numbers are of this time, ns of the trace's clock */
	uint64_t
		start; /* of the recording, if it is printed in parts; 0: it is printed as a whole */
	size_t columns; /* of the terminal; 0: it is none */
	bool has_style; /* bold type, and 256 colours */
	bool has_histogram, has_heat;
	bool is_part;                       /* one of the parts, while the recording goes on */
	uint32_t top;                       /* rows of a table */
	const struct span_symbols *symbols; /* NULL: stacks are not printed */
};

/* Prints the tables. */
void latency_text(const struct span_report *report, FILE *out);
void latency_json(const struct span_report *report, FILE *out);
void leaks_text(const struct span_report *report, FILE *out);
void leaks_json(const struct span_report *report, FILE *out);
/* The heat map of each span as one image. */
void latency_svg(const struct span_report *report, FILE *out);
