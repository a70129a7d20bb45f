/*
 * format: the text of a format file, checked before a parser sees it.
 *
 * libtraceevent trusts what it reads: it was made for the kernel's own files. A capture comes from anywhere, so
 * each line is compared with the shape that the kernel writes, and only the list of fields goes on. The print
 * format, which is most of the text and all of its difficulty, is cut off.
 */
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/bytes.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum { DIGITS_MAX = 9 }; /* an int holds them */

/* Returns the next line without its newline. */
static struct bytes line_next(struct bytes *text)
{
	const void *end = text->left ? memchr(text->at, '\n', text->left) : NULL;
	size_t length = end ? (size_t)((const uint8_t *)end - text->at) : text->left;
	struct bytes line = bytes_of(text->at, length);

	bytes_take(text, length + (end != NULL));
	return line;
}

static void take_word(struct bytes *line, const char *word)
{
	size_t length = strlen(word);
	const void *at = bytes_take(line, length);

	if (at && memcmp(at, word, length))
		line->bad = true;
}

static uint32_t take_number(struct bytes *line)
{
	uint32_t value = 0, digits = 0;

	while (line->left && isdigit(*line->at) && digits < DIGITS_MAX) {
		value = value * 10 + (uint32_t)(*line->at - '0');
		digits++;
		bytes_take(line, 1);
	}
	if (!digits)
		line->bad = true;
	return value;
}

static bool is_word_byte(uint8_t c)
{
	return isalnum(c) || c == '_';
}

static void take_blanks(struct bytes *line)
{
	while (line->left && (*line->at == ' ' || *line->at == '*'))
		bytes_take(line, 1);
}

static bool take_identifier(struct bytes *line)
{
	size_t length = 0;

	while (length < line->left && is_word_byte(line->at[length]))
		length++;
	if (!length || isdigit(*line->at))
		return false;
	bytes_take(line, length);
	return true;
}

static void take_bracket(struct bytes *line)
{
	bytes_take(line, 1);
	while (line->left && is_word_byte(*line->at))
		bytes_take(line, 1);
	take_word(line, "]");
	take_blanks(line);
}

/*
 * A type and a name: "const char * filename", "unsigned long args[6]", "__data_loc char[] name". Only the
 * last identifier may be the name, so there are two at least.
 */
static void take_declaration(struct bytes *line)
{
	uint32_t identifiers = 0;

	while (take_identifier(line)) {
		identifiers++;
		take_blanks(line);
		if (line->left && *line->at == '[')
			take_bracket(line);
	}
	if (identifiers < 2)
		line->bad = true;
}

static bool is_field(struct bytes line)
{
	take_word(&line, "\tfield:");
	take_declaration(&line);
	take_word(&line, ";\toffset:");
	take_number(&line);
	take_word(&line, ";\tsize:");
	take_number(&line);
	take_word(&line, ";\tsigned:");
	take_number(&line);
	take_word(&line, ";");
	return !line.bad && !line.left;
}

static void take_name(struct bytes *line, char *name)
{
	const char *at = (const char *)line->at;
	size_t length = line->left;

	if (length >= FORMAT_NAME_SIZE || !take_identifier(line) || line->left) {
		line->bad = true;
		return;
	}
	memcpy(name, at, length);
	name[length] = 0;
}

int format_init(struct format *format, const char *text, size_t size)
{
	struct bytes all = bytes_of(text, size), line;
	bool is_bad;

	*format = (struct format){.id = 0};
	line = line_next(&all);
	take_word(&line, "name: ");
	take_name(&line, format->name);
	is_bad = line.bad;
	line = line_next(&all);
	take_word(&line, "ID: ");
	format->id = take_number(&line);
	is_bad |= line.bad || line.left;
	line = line_next(&all);
	take_word(&line, "format:");
	is_bad |= line.bad || line.left;
	format->fields = (const char *)all.at;
	format->size = all.left;
	return is_bad || size > FORMAT_SIZE_MAX ? -EPROTO : 0;
}

char *format_fields_only(const struct format *format)
{
	static const char print[] = "print fmt:";
	struct bytes rest = bytes_of(format->fields, format->size);
	size_t size = 0;

	/* A cut that leaves a field half is found by the shape of the last line. */
	while (rest.left) {
		struct bytes line = line_next(&rest);

		if (line.left >= sizeof(print) - 1 && !memcmp(line.at, print, sizeof(print) - 1))
			break;
		if (line.left && !is_field(line))
			return NULL;
		size = (size_t)(rest.at - (const uint8_t *)format->fields);
	}
	return mem_format("name: %s\nID: %u\nformat:\n%.*s\n%s \"\"\n", format->name, format->id, (int)size,
			  format->fields, print);
}
