/* output: the outputs of record and convert: an archive (or text, or nothing) with iotrace.json, and the summary. */
#pragma once

#include "option/options.h"
#include "run.h"

#include <iotrace/sink.h>

enum output_summary { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_NONE };

struct output_summary_option {
	enum output_summary kind;
	const char *path; /* NULL: standard error */
};

/* The options that both commands have. */
struct output_options {
	const char *path;              /* -o */
	const struct sink_ops *format; /* NULL: otf2 */
	struct output_summary_option summary;
	uint32_t top; /* --top: rows in each table, or SINK_TOP_DEFAULT */
	enum sink_sort sort;
	bool is_quiet, is_strict;
	unsigned mode; /* --mode; 0: not given */
};

/* Parsers of output_rows.def. */
int output_parse_format(void *format, const char *arg, struct error *err);
int output_parse_summary(void *summary, const char *arg, struct error *err);
int output_parse_top(void *top, const char *arg, struct error *err);
int output_parse_sort(void *sort, const char *arg, struct error *err);
void output_options_init(struct output_options *options);
int output_parse_mode(void *mode, const char *arg, struct error *err);
bool output_is_archive(const struct output_options *options);
/* Returns whether there will be an archive or a text: false for the null format. */
bool output_is_made(const struct output_options *options);
/* Returns the permissions of new files: those of --mode; otherwise for the user only if is_private; otherwise as umask says. */
unsigned output_mode(const struct output_options *options, bool is_private);

struct output {
	const struct output_options *options; /* lent */
	const char *path;                     /* lent; NULL: standard output */
	const char *summary_path;             /* lent; NULL: standard error */
	struct run *run;
	uint32_t groups;     /* for iotrace.json; 0: unknown */
	struct place *place; /* where `path` is created; NULL: standard output, or no output */
	bool is_private;     /* the output is for its user only, whatever it contains */
	bool has_no_summary; /* regardless of the options */
	struct sink_options main, summary;
	struct sink_end end;         /* the end of the archive */
	int main_sink, summary_sink; /* -1: not open */
	bool is_closed;   /* the archive or text is closed, though the summary may still be open */
	bool is_complete; /* the stream was converted to its end */
	bool is_written;  /* the requested output is complete */
	size_t progress;  /* width of the progress line on the terminal */
	uint32_t percent;
};

/* Opens the sinks. Except for its first eight members, `output` is zeroed. */
int output_open(struct output *output, struct error *err);
/* Overwrites the line `ACTION: 12 of 34 MiB, 35 %`. Does nothing unless standard error is a terminal. */
void output_progress(struct output *output, uint64_t bytes, uint64_t total);
/* Call it before anything else is written to the terminal. */
void output_end_progress(struct output *output);
/*
 * Closes the archive or text alone and writes iotrace.json, for when the summary has to wait. Returns 0, or -errno with
 * a message; output_close() does not close it again.
 */
int output_close_main(struct output *output, bool is_complete, struct error *err);
/*
 * Closes the sinks, writes iotrace.json, prints the summary and warnings about lost data. Returns 0, or -errno with the first
 * error: the archive is incomplete, or with --strict, data is missing.
 */
int output_close(struct output *output, bool is_complete, struct error *err);
/* Closes the sinks and removes what they wrote, because nothing was recorded. */
void output_discard(struct output *output);
