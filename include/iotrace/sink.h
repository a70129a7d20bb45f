/*
 * sink: an end of the pipeline. A table of them is in lib/sink/sink.c.
 *
 * To add one: lib/sink/NAME.c with its struct sink_ops, one row in sink.c, one golden text.
 */
#pragma once

#include <iotrace/io_event.h>
#include <iotrace/tally.h>

struct error;
struct trace;
struct place;
struct sink;

/* By what the tables of a summary are sorted. */
enum sink_sort { SORT_DATA, SORT_READ, SORT_WRITTEN, SORT_TIME, SORT_CALLS, SORTS };

/* The rows of each table of a summary, if nobody says how many. */
#define SINK_TOP_DEFAULT UINT32_MAX

/* How the archive ends. */
struct sink_end {
	int code;             /* 0; or -errno: events are missing at its end, or everywhere */
	uint64_t not_written; /* events that came after its end */
	const char *text;     /* what went wrong; NULL: nothing */
	bool is_cut;          /* it takes no events from `time` on, since it cannot be written */
	uint64_t time;
};

/* What a sink gets when it is opened. Lent for the life of the sink. */
struct sink_options {
	const struct trace *trace;
	struct tally *
		tally; /* final only when close() is called, which counts what it could not write */
	const char *
		path; /* directory or file to write; NULL or "-": standard output, where that makes sense */
	int columns;         /* summary: width of the terminal; 0: it is none */
	bool is_json;        /* summary */
	bool is_on_stdout;   /* summary without a path: on standard output, not standard error */
	uint32_t top;        /* summary: rows of each table, or SINK_TOP_DEFAULT */
	enum sink_sort sort; /* summary */
	uint64_t reserve;    /* otf2: bytes of disk to leave free; 0: the default */
	const char *archive, *capture;      /* summary: where they are, or NULL; read by close() */
	const struct sink_end *archive_end; /* summary: of that archive, or NULL; read by close() */
	struct place *place; /* otf2, text: where `path` is made; NULL: the sink opens one */
	unsigned mode,
		system_mode; /* permissions of what is made, the latter if all processes were recorded; 0: 0644 */
	/* otf2, or NULL: called by close() before the archive gets its name, to add to its directory. */
	int (*complete)(void *context, int directory, const struct sink_end *end,
			struct error *err);
	void *context;
	bool is_discarded; /* summary: read by close(): it is not wanted any more, nothing is to be told */
};

struct sink_ops {
	const char *name;
	const char *help;
	/* Returns the sink, or NULL with a sentence. */
	struct sink *(*open)(const struct sink_options *options, struct error *err);
	/* May be NULL-free: called for every io_event, never fails; troubles are kept for close(). */
	void (*event)(struct sink *sink, const struct io_event *event);
	/* Returns 0, or the first trouble, with a sentence. Frees the sink in every case. */
	int (*close)(struct sink *sink, struct error *err);
	/* Returns whether the sink met a trouble, and takes no further events (disk full). May be NULL. */
	bool (*failed)(const struct sink *sink);
	bool is_whole_or_nothing; /* what failed gets no name, so that going on is pointless */
};

/* Returns the permissions of what this sink makes: at close(), since the stream says what was recorded. */
unsigned sink_mode(const struct sink_options *options);

/* "otf2", "text", "summary", "null"; NULL beyond the last. */
const struct sink_ops *sink_at(uint32_t index);
const struct sink_ops *sink_find(const char *name);
