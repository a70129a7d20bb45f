/*
 * span_report: prints the results for spans, as text, JSON and images.
 */
#pragma once

#include <iotrace/latency.h>
#include <iotrace/leaks.h>
#include <stdio.h>

struct tally;
struct trace;

/* A symbolized stack frame: see <iotrace/program.h>. NULL: unknown. */
struct span_symbol {
	const char *function, *source,
		*file;    /* source: the source file; file: the program, or "[kernel]" */
	uint32_t line;    /* line in the source; 0: unknown */
	uint64_t address; /* offset in the file, or address in the kernel */
	bool is_inline;
};

/* Finds the functions of a stack: calls back with each, the innermost first. Lent for the call. */
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
	uint64_t from, to; /* the numbers are of this time; ns of the trace's clock */
	uint64_t start;    /* begin of the recording, if it is printed in parts; otherwise 0 */
	size_t columns;    /* of the terminal; 0: not a terminal */
	bool has_style;    /* bold type, and 256 colours */
	bool has_histogram, has_heat;
	bool is_part;                       /* a part of a recording that continues */
	uint32_t top;                       /* number of rows of a table */
	const struct span_symbols *symbols; /* NULL: stacks are not printed */
};

/* Print the results. */
void latency_text(const struct span_report *report, FILE *out);
void latency_json(const struct span_report *report, FILE *out);
void leaks_text(const struct span_report *report, FILE *out);
void leaks_json(const struct span_report *report, FILE *out);
/* Prints the heat maps of all spans as one image. */
void latency_svg(const struct span_report *report, FILE *out);
