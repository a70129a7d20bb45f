/*
 * bpf_span_format: see bpf_span_format.h.
 *
 * Only fields that <iotrace/decode.h> also takes as numbers count: single values of 1, 2, 4 or 8 bytes.
 */
#include "bpf_span_format.h"

#include "bpf_span.h"
#include "perf/tracefs.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 256, CTX_FIRST = 8 }; /* programs cannot see the first bytes of the data */

char *bpf_span_read_format(const struct bpf_span_options *options, const char *event,
			   struct error *err)
{
	char *system = mem_strdup(event), *colon = strchr(system, ':'), *format;

	if (colon)
		*colon = '\0';
	format = tracefs_format(options->tracefs, system, colon ? colon + 1 : system, err);
	free(system);
	return format;
}

int bpf_span_read_formats(const struct bpf_span_options *options, char *format[BPF_SPAN_POINTS],
			  struct error *err)
{
	for (int i = 0; i < BPF_SPAN_POINTS; i++) {
		const char *event = options->span->point[i].event;

		format[i] = event ? bpf_span_read_format(options, event, err) : NULL;
		if (event && !format[i])
			return -err->code;
	}
	return 0;
}

/* Parses a line of a format file, "field:TYPE NAME; offset:8; size:4; signed:1;". Returns whether it has the name. */
static bool read_line(const char *line, const char *name, char type[LINE],
		      struct bpf_span_offset *where, bool *is_signed)
{
	unsigned offset, size, has_sign;
	char *last;

	if (sscanf(line, " field:%255[^;]; offset:%u; size:%u; signed:%u;", type, &offset, &size,
		   &has_sign) != 4)
		return false;
	last = strrchr(type, ' ');
	if (!last || strncmp(last + 1, name, strlen(name)) != 0)
		return false;
	if (last[1 + strlen(name)] != '\0' && last[1 + strlen(name)] != '[')
		return false;
	*where = (struct bpf_span_offset){(uint16_t)offset, (uint8_t)(size < 255 ? size : 255)};
	*is_signed = has_sign;
	return offset < BPF_SPAN_MARK;
}

/* The same, of any line of the format. */
static bool find_line(const char *format, const char *name, char type[LINE],
		      struct bpf_span_offset *where, bool *is_signed)
{
	const char *line = strstr(format, "\nformat:");

	do
		line = line ? strstr(line + 1, "\tfield:") : NULL;
	while (line && !read_line(line, name, type, where, is_signed));
	return line;
}

static bool is_number(const char *type, const struct bpf_span_offset *where)
{
	return !strchr(type, '[') && strncmp(type, "__data_loc", 10) != 0 &&
	       strncmp(type, "__rel_loc", 9) != 0 && where->offset >= CTX_FIRST &&
	       (where->size == 1 || where->size == 2 || where->size == 4 || where->size == 8) &&
	       where->offset % where->size == 0;
}

int bpf_span_find_number(const char *format, const char *name, struct bpf_span_field *field,
			 struct bpf_span_offset *where, struct error *err)
{
	char type[LINE];
	bool is_signed;

	if (!find_line(format, name, type, where, &is_signed))
		return 0;
	if (!is_number(type, where))
		return error_say(err, ENOTSUP, "its field '%s' is not a single number", name);
	*field = (struct bpf_span_field){.at = BPF_SPAN_NUMBER,
					 .shift = is_signed ? (uint8_t)(64 - 8 * where->size) : 0,
					 .is_signed = is_signed};
	return 1;
}

/* Returns where a text of this type is, or -1. */
static int text_at(const char *type, const struct bpf_span_offset *where)
{
	static const struct {
		const char *type;
		enum bpf_span_text_at at;
	} row[] = {
		{"__data_loc char[]", BPF_SPAN_TEXT_DATA_LOC},
		{"__rel_loc char[]", BPF_SPAN_TEXT_REL_LOC},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (!strncmp(type, row[i].type, strlen(row[i].type)))
			return row[i].at;
	return !strncmp(type, "char ", 5) && strchr(type, '[') &&
			       where->size < BPF_SPAN_LONG_TEXT - 1
		       ? BPF_SPAN_TEXT_ARRAY
		       : -1;
}

int bpf_span_find_text(const char *format, const char *name, struct bpf_span_field *field)
{
	struct bpf_span_offset where;
	char type[LINE];
	bool is_signed;
	int at;

	if (!find_line(format, name, type, &where, &is_signed))
		return 0;
	at = text_at(type, &where);
	if (at < 0)
		return -ENOTSUP;
	*field = (struct bpf_span_field){.at = BPF_SPAN_OF_TEXT,
					 .is_text = true,
					 .offset = where.offset,
					 .size = where.size,
					 .text = (uint8_t)at};
	return 1;
}

bool bpf_span_is_short_text(const struct bpf_span_field *field)
{
	return field->text == BPF_SPAN_TEXT_COMM ||
	       (field->text == BPF_SPAN_TEXT_ARRAY && field->size <= BPF_SPAN_SHORT_TEXT);
}

bool bpf_span_has_key_text(const struct bpf_span_spec *spec)
{
	bool has = false;

	for (int i = 0; i < BPF_SPAN_KEYS; i++)
		has |= spec->point[BPF_SPAN_BEGIN].field[BPF_SPAN_KEY + i].is_text;
	return has;
}

void bpf_span_size_texts(struct bpf_span_spec *spec)
{
	uint32_t size = 0;

	for (int i = 0; i < BPF_SPAN_POINTS * BPF_SPAN_FIELDS; i++) {
		const struct bpf_span_field *field =
			&spec->point[i / BPF_SPAN_FIELDS].field[i % BPF_SPAN_FIELDS];
		uint32_t number = i % BPF_SPAN_FIELDS;
		bool is_short = bpf_span_is_short_text(field);

		if (!field->is_text || (number >= BPF_SPAN_TEST && number < BPF_SPAN_GROUP))
			continue;
		if (!size || !is_short)
			size = is_short ? BPF_SPAN_SHORT_TEXT : BPF_SPAN_LONG_TEXT;
	}
	spec->texts = size ? BPF_SPAN_TEXTS : 0;
	spec->text_size = size ? size : BPF_SPAN_SHORT_TEXT;
}
