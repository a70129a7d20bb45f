/*
 * span_file: see span_file.h.
 */
#include "span_file.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/span.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 4096 };

static char *trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

int span_lines_add(struct span_lines *lines, const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");
	uint32_t number = 0;
	char *line = NULL;
	size_t size = 0;
	int code = 0;

	if (!file)
		return error_set(err, errno, "--spans: cannot open %s", path);
	while (!code && getline(&line, &size, file) > 0) {
		const char *text = trim(line);

		number++;
		if (!*text || *text == '#')
			continue;
		if (lines->count == LINES_MOST) {
			code = error_say(err, E2BIG, "--spans: %s has more than %d spans", path,
					 LINES_MOST);
			break;
		}
		MEM_GROW(lines->item, lines->cap, lines->count + 1);
		lines->item[lines->count++] = (struct span_line){mem_strdup(text), path, number};
	}
	if (!code && ferror(file))
		code = error_set(err, errno ? errno : EIO, "--spans: cannot read %s", path);
	free(line);
	fclose(file);
	return code;
}

void span_lines_release(struct span_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->item[i].text);
	free(lines->item);
	*lines = (struct span_lines){0};
}

const struct span_line *span_lines_find(const struct span_lines *lines, const char *name)
{
	size_t length = strlen(name);

	for (uint32_t i = lines->count; i-- > 0;) {
		const char *text = lines->item[i].text;

		if (!strncmp(text, name, length) && text[length] == ':')
			return &lines->item[i];
	}
	return NULL;
}

struct span *span_line_parse(const struct span_line *line, struct error *err)
{
	struct span *span = span_parse(line->text, err);

	if (!span)
		error_wrap(err, "%s:%u", line->path, line->line);
	return span;
}
