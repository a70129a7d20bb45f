/* format: checks the text of a format file before libtraceevent parses it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FORMAT_NAME_SIZE = 128, FORMAT_SIZE_MAX = 65536 };

struct format {
	char name[FORMAT_NAME_SIZE];
	uint32_t id;
	const char *fields; /* lent: the text after "format:" */
	size_t size;
};

/* Returns 0, or -EPROTO if the text does not begin like a format file. */
int format_init(struct format *format, const char *text, size_t size);
/* Returns the text with an empty print format (the caller frees it), or NULL if a line is not a field. */
char *format_fields_only(const struct format *format);
