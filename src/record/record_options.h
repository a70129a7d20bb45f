/* record_options: what record can be told, and what of it goes together. */
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
/* What users know of other tools. */
extern const struct option_hint record_hints[];

/* As command.h asks for them. Each gets a struct record_options. */
void record_options_init(void *context);
void record_options_release(void *context);
/* Takes the options of files and of the environment. */
int record_options_defaults(void *context, bool is_alone, int argc, char **argv, struct error *err);
/* Says with -v what was given, and where. */
void record_options_tell(const struct record_options *options);
/*
 * Checks what goes together, and decides what the user left open: options->recording is complete then. argv: the command,
 * or NULL; lent. Returns 0, or -EINVAL with a sentence.
 */
int record_options_complete(struct record_options *options, char *const *argv, struct error *err);
