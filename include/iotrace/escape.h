/*
 * escape: makes file names and other bytes from outside safe for a terminal or a line of text.
 *
 * Printable ASCII and valid printable UTF-8 stand as they are; a backslash becomes "\\"; newline, tab
 * and carriage return become \n, \t, \r; every other byte becomes \xHH. So do the bytes of a valid
 * character that is invisible or changes the direction of text: U+0080 to U+009F, marks of direction.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Maximum number of bytes that one byte becomes: a buffer of ESCAPE_MAX * length + 1 is always large enough. */
enum { ESCAPE_MAX = 4 };

/* Returns the length written to out, which is always terminated, and truncated at a whole character if it is too small. */
size_t escape_text(char *out, size_t size, const char *bytes, size_t length);
void escape_print(FILE *out, const char *bytes, size_t length);
/* The same for text that another program should have escaped already: a backslash stays as it is. */
void escape_print_again(FILE *out, const char *text, size_t length);
/* Returns how many columns of a terminal the escaped bytes take (wide characters take 2). */
size_t escape_columns(const char *bytes, size_t length);

/*
 * Returns the length written to out. Valid UTF-8 stays unchanged, including control characters. A NUL and every byte that is
 * not part of valid UTF-8 become \xHH, and a backslash becomes "\\". OTF2 strings and JSON need this form.
 */
size_t escape_utf8(char *out, size_t size, const char *bytes, size_t length);
/* Reverses escape_utf8() in place. Returns the new length, which is not larger. Other sequences stay unchanged. */
size_t escape_undo(char *text, size_t length);
