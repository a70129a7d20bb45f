/*
 * sink: an output of the pipeline. lib/sink/sink.c has a table of all sinks.
 *
 * To add one: write lib/sink/NAME.c with its struct sink_ops, one row in sink.c, and one golden text.
 */
#pragma once

#include <iotrace/io_event.h>
#include <iotrace/tally.h>

struct error;
struct trace;
struct place;
struct sink;

/* The sort key of the tables of a summary. */
enum sink_sort { SORT_DATA, SORT_READ, SORT_WRITTEN, SORT_TIME, SORT_CALLS, SORTS };

/* The default number of rows in each table of a summary. */
#define SINK_TOP_DEFAULT UINT32_MAX

/* The end of an archive. */
struct sink_end {
	int code;             /* 0; or -errno: events are missing at its end, or everywhere */
	uint64_t not_written; /* events after its end */
	const char *text;     /* the error; NULL: none */
	bool is_cut;          /* it has no events from `time` on, because a write failed */
	uint64_t time;
};

/* The options of a sink. Lent for the life of the sink. */
struct sink_options {
	const struct trace *trace;
	struct tally *
		tally; /* final only when close() is called; close() counts what it could not write */
	const char *
		path; /* directory or file to write; NULL or "-": standard output, if the sink can use it */
	int columns;         /* summary: width of the terminal; 0: not a terminal */
	bool is_json;        /* summary */
	bool is_on_stdout;   /* summary without a path: on standard output, not standard error */
	uint32_t top;        /* summary: rows of each table, or SINK_TOP_DEFAULT */
	enum sink_sort sort; /* summary */
	uint64_t reserve;    /* otf2: bytes of disk to leave free; 0: the default */
	const char *archive, *capture; /* summary: their paths, or NULL; read by close() */
	bool is_archive_lost; /* summary: an archive was wanted, but could not be written */
	const struct sink_end *archive_end; /* summary: of that archive, or NULL; read by close() */
	/* Otf2: the library writes events, as in a build with an unknown version of it. */
	bool is_of_library;
	struct place *place; /* otf2, text: where `path` is created; NULL: the sink opens it */
	unsigned mode,
		system_mode; /* permissions of the output, the latter if all processes were recorded; 0: 0644 */
	/* otf2, or NULL: called by close() before the archive gets its name, to add to its directory. */
	int (*complete)(void *context, int directory, const struct sink_end *end,
			struct error *err);
	void *context;
	bool is_discarded; /* summary, read by close(): print nothing */
};

struct sink_ops {
	const char *name;
	const char *help;
	/* Returns the sink, or NULL with a message. */
	struct sink *(*open)(const struct sink_options *options, struct error *err);
	/* Called for every io_event; must not be NULL. Never fails: errors are kept for close(). */
	void (*event)(struct sink *sink, const struct io_event *event);
	/* Returns 0, or the first error with a message. Always frees the sink. */
	int (*close)(struct sink *sink, struct error *err);
	/* Returns whether the sink takes no more events because of an error (disk full). May be NULL. */
	bool (*failed)(const struct sink *sink);
	bool is_whole_or_nothing; /* after an error there is no output, so the conversion can stop */
};

/* Returns the permissions of the output. Call it at close(), because the stream says what was recorded. */
unsigned sink_mode(const struct sink_options *options);

/*
 * Returns whether text for a terminal of that many columns (0 or less: no terminal) may have bold type and colours: not if NO_COLOR
 * is set and not empty, nor if TERM says that the terminal has none.
 */
bool sink_has_style(int columns);

/* Returns "otf2", "text", "summary", "null"; NULL after the last. */
const struct sink_ops *sink_at(uint32_t index);
const struct sink_ops *sink_find(const char *name);

/* Converts a size for people: "1.25 GiB". Returns out. */
enum { SUMMARY_NUMBER = 32 };
const char *summary_bytes(char out[SUMMARY_NUMBER], uint64_t bytes);
