/*
 * options_files: options that are not on the command line, so that job scripts need no change.
 *
 * They stand in the file of the machine, in the file of the user, and in a variable of the environment, and are parsed in this
 * order, before the command line: the last of an option with one value counts, and options that may be repeated add up. A
 * program whose file has capabilities that its user does not have reads the file of the machine only, and that only if it is
 * root's alone: who lends rights says what they are used for.
 */
#pragma once

#include "options.h"
#include "options_words.h"

#define OPTIONS_VARIABLE "IOTRACE_OPTIONS"

struct options_paths {
	const char *machine;                       /* a path */
	const char *(*variable)(const char *name); /* of the environment; NULL: it is not set */
	bool is_lent;                              /* as confine_is_lent() */
};

/* Those of this process. */
void options_paths_init(struct options_paths *paths);
/*
 * Adds the lines of all places. Returns 0, or -errno with a sentence if a file exists but cannot be read, is not text, or is
 * writable by others. A missing file is not an error.
 */
int options_files_read(struct options_lines *lines, const struct options_paths *paths,
		       struct error *err);
/* Parses the lines into `options`, which holds their texts: they are lent. Returns 0, or -EINVAL with a sentence. */
int options_files_parse(const struct options_lines *lines, const struct option_row *row,
			const struct option_hint *hint, void *options, struct error *err);
