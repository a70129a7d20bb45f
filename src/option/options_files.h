/*
 * options_files: options that are not on the command line, so that job scripts need no change.
 *
 * They are in the file of the machine, in the file of the user, and in an environment variable, and are parsed in this order,
 * before the command line: the last value of an option counts, and options that may be repeated add up. If the program file has
 * capabilities that its user does not have, only the file of the machine is read, and only if nobody but root can change it.
 * Otherwise a user could choose what those capabilities are used for.
 */
#pragma once

#include "options.h"
#include "options_words.h"

#define OPTIONS_VARIABLE "IOTRACE_OPTIONS"

struct options_paths {
	const char *machine; /* its path */
	/* Returns an environment variable; NULL: not set. */
	const char *(*variable)(const char *name);
	bool is_lent; /* result of confine_is_lent() */
};

/* Sets the paths of this process. */
void options_paths_init(struct options_paths *paths);
/*
 * Adds the lines of all files and of the variable. Returns 0, or -errno with a message if a file exists but cannot be read, is
 * not text, or is writable by others. A missing file is not an error.
 */
int options_files_read(struct options_lines *lines, const struct options_paths *paths,
		       struct error *err);
/* Parses the lines into `options`, which borrows their texts. Returns 0, or -EINVAL with a message. */
int options_files_parse(const struct options_lines *lines, const struct option_row *row,
			const struct option_hint *hint, void *options, struct error *err);
