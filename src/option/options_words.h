/*
 * options_words: splits options in a file or an environment variable into words.
 *
 * Each line is like a command line: words with blanks between them, quotes and backslashes as in a shell, and a comment after
 * '#'. Nothing is expanded, so no file can run a program.
 */
#pragma once

#include <iotrace/recording.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

enum { OPTIONS_TEXT_MOST = 64 << 10 };

struct options_lines {
	struct recording_words *line; /* owned, with all their contents */
	uint32_t count, cap;
};

/* Adds copies of words; argv[0] is the name of the program. */
void options_lines_add(struct options_lines *lines, const char *from, int argc,
		       const char *const *argv);
/*
 * Adds the lines of a text that contain words. is_file: errors contain the number of the line. Returns 0, or -EINVAL with a
 * message that begins with `from`.
 */
int options_lines_split(struct options_lines *lines, const char *from, bool is_file,
			const char *text, size_t length, struct error *err);
/* Returns the words after the program's name, quoted for a shell. The caller frees it. */
char *options_line_text(const struct recording_words *line);
void options_lines_release(struct options_lines *lines);
