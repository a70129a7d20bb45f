/*
 * escape: file names and other foreign bytes, made fit for a terminal or a line of text.
 *
 * Printable ASCII and valid printable UTF-8 stand as they are; a backslash becomes "\\"; newline, tab
 * and carriage return become \n, \t, \r; every other byte becomes \xHH. So do the bytes of a valid
 * character that cannot be seen or that turns the text around it: U+0080 to U+009F, marks of direction.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* How many bytes one byte can become: a buffer of ESCAPE_MAX * length + 1 holds everything. */
enum { ESCAPE_MAX = 4 };

/* Returns the length written to out (always terminated, cut at a whole character if too small). */
size_t escape_text(char *out, size_t size, const char *bytes, size_t length);
void escape_print(FILE *out, const char *bytes, size_t length);
/* Returns how many columns of a terminal the bytes take once escaped (wide characters count 2). */
size_t escape_columns(const char *bytes, size_t length);

/*
 * Returns the length written to out: valid UTF-8 as it is (control characters included), every byte
 * that is not part of valid UTF-8 as \xHH, and so a NUL; a backslash as "\\". What OTF2 strings and
 * JSON need.
 */
size_t escape_utf8(char *out, size_t size, const char *bytes, size_t length);
/* Undoes escape_utf8(), in place. Returns the length, which is not larger. What that never wrote stays as it is. */
size_t escape_undo(char *text, size_t length);
