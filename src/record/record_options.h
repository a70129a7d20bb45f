/* record_options: the options of record, and which of them go together. */
#pragma once

#include "option/options_words.h"
#include "run/output.h"

#include <iotrace/recording.h>

struct record_options {
	struct output_options output;
	struct recording recording;
	struct options_lines given; /* all words that were parsed, and where they stood */
	const char *join;           /* NULL: not given */
	bool is_alone;
	bool is_each;   /* an archive for each command that joins */
	uint64_t limit; /* bytes on disk; 0: none */
	const char *capture;
	int verbosity;
};

extern const struct option_row record_rows[];
/* Hints for options of other tools. */
extern const struct option_hint record_hints[];

/* Parsers of rows that other commands have, too. */
int record_parse_pids(void *number_list, const char *arg, struct error *err);
int record_parse_fd(void *field, const char *arg, struct error *err);
int record_parse_duration(void *ns, const char *arg, struct error *err);
int record_parse_uid(void *users, const char *arg, struct error *err);
int record_parse_comm(void *text_list, const char *arg, struct error *err);
int record_parse_source(void *source, const char *arg, struct error *err);
int record_parse_device(void *blocks, const char *arg, struct error *err);

/* As command.h asks for them. Each gets a struct record_options. */
void record_options_init(void *context);
void record_options_release(void *context);
/* Takes the options of files and of the environment. */
int record_options_defaults(void *context, bool is_alone, int argc, char **argv, struct error *err);
/* With -v, prints the options and where they were given. */
void record_options_log(const struct record_options *options);
/*
 * Checks what goes together, and decides what the user left open: options->recording is complete then. argv: the command,
 * or NULL; lent. Returns 0, or -EINVAL with a sentence.
 */
int record_options_complete(struct record_options *options, char *const *argv, struct error *err);
