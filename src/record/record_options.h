/* record_options: the options of record. */
#pragma once

#include "option/options_words.h"
#include "run/output.h"
#include "trigger.h"

#include <iotrace/recording.h>

/* A flight recorder: see flight/flight.h. */
struct record_flight {
	uint64_t window;  /* ns; 0: there is none; first, because of record_parse_flight() */
	uint64_t memory;  /* bytes of records */
	uint64_t after;   /* ns after a trigger that are recorded, too */
	uint64_t spacing; /* ns between the triggers of two archives */
	uint32_t keep;    /* number of archives; 0: all */
	bool has_earlier; /* archives of earlier recorders with the same name count, too */
	struct triggers triggers;
};

struct record_options {
	struct output_options output;
	struct recording recording;
	struct options_lines given; /* all words that were parsed, and where they were */
	const char *join;           /* NULL: not given */
	bool is_alone;
	bool is_each;   /* each command that joins has its own archive */
	uint64_t limit; /* bytes on disk; 0: no limit */
	const char *capture;
	struct record_flight flight;
	struct text_list spans, span_files; /* --span and --spans, as they were given */
	int verbosity;
};

extern const struct option_row record_rows[];
/* Hints for options of other tools. */
extern const struct option_hint record_hints[];

/* Parsers for rows that other commands also have. */
int record_parse_pids(void *number_list, const char *arg, struct error *err);
int record_parse_fd(void *field, const char *arg, struct error *err);
int record_parse_duration(void *ns, const char *arg, struct error *err);
int record_parse_uid(void *users, const char *arg, struct error *err);
int record_parse_comm(void *text_list, const char *arg, struct error *err);
int record_parse_source(void *source, const char *arg, struct error *err);
int record_parse_device(void *blocks, const char *arg, struct error *err);
int record_parse_flight(void *flight, const char *arg, struct error *err);
int record_parse_keep(void *number, const char *arg, struct error *err);

/* Returns whether files are chosen by --path or --exclude-path. */
bool record_has_paths(const struct recording *recording);
/* Functions for command.h. Each gets a struct record_options. */
void record_options_init(void *context);
void record_options_release(void *context);
/* Adds the options of files and of the environment. */
int record_options_defaults(void *context, bool is_alone, int argc, char **argv, struct error *err);
/* With -v, prints the options and where they were given. */
void record_options_log(const struct record_options *options);
/*
 * Checks that options do not exclude each other, and decides what the user left open: then options->recording is complete. argv:
 * the command, or NULL; lent. Returns 0, or -EINVAL with a message.
 */
int record_options_complete(struct record_options *options, char *const *argv, struct error *err);
