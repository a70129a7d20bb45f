/*
 * wrap: text in lines that fit a terminal.
 *
 * A line ends between two words, but not between a number and its unit, and not between quotes, which may hold a command to copy.
 * A word that is wider than the terminal is not cut. The text must be safe for a terminal (see escape.h).
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/*
 * Prints text in lines of at most `columns` (0: one line), the first with `first` blanks before it, the others with `indent`. Prints no
 * newline at the end. Returns the columns of the last line.
 */
size_t wrap_print(FILE *out, const char *text, size_t length, size_t columns, size_t first,
		  size_t indent);
/* Returns how many columns the text takes. */
size_t wrap_columns(const char *text, size_t length);
