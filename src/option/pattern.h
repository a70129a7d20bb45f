/* pattern: patterns of file names. */
#pragma once

struct error;

/*
 * Adds a pattern to the list `field`. Files have absolute paths, so "lib/..." is relative to the current directory, as in a
 * shell; "*.c" is a name in any directory. Returns 0, or -errno with a message.
 */
int pattern_parse(void *field, const char *arg, struct error *err);
