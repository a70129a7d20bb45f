/* pattern: patterns of file names. */
#pragma once

struct error;

/*
 * Adds a pattern to the list that field is. Files have absolute paths, so "lib/..." is taken from the current directory on, as a
 * shell would; "*.c" is a name anywhere. Returns 0, or -errno with a sentence.
 */
int pattern_parse(void *field, const char *arg, struct error *err);
