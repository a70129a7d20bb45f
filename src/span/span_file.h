/* span_file: files with definitions of spans, one on each line. */
#pragma once

#include <iotrace/list.h>
#include <stdint.h>

struct error;
struct span;

struct span_line {
	char *text;       /* "NAME: BEGIN -> END by FIELD" */
	const char *path; /* lent */
	uint32_t line;
};

struct span_lines {
	struct span_line *item;
	uint32_t count, cap;
};

/* Adds the lines of a file, except blank lines and those that begin with '#'. Returns 0, or -errno with a message. */
int span_lines_add(struct span_lines *lines, const char *path, struct error *err);
void span_lines_release(struct span_lines *lines);
/* Returns the last line that defines this name, or NULL. */
const struct span_line *span_lines_find(const struct span_lines *lines, const char *name);
/* Returns the span of a line, or NULL with a message that begins with file and line. */
struct span *span_line_parse(const struct span_line *line, struct error *err);
