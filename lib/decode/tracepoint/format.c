/*
 * format: checks the text of a format file before a parser sees it.
 *
 * libtraceevent trusts its input, because it was made for the kernel's own files. A capture may come from anywhere, so each line
 * is compared with the form that the kernel writes, and only the list of fields is passed on. The print format, which is most of
 * the text and the hardest part to parse, is removed.
 */
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/bytes.h>
#include <iotrace/mem.h>
#include <stdlib.h>

enum { DIGITS_MAX = 9 }; /* as many as an int can hold */

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

/* Returns the next byte, or 0 at the end. Nothing can be read from a bad line, so loops must end there as well. */
static uint8_t peek(const struct bytes *line)
{
	return line->bad || !line->left ? 0 : *line->at;
}

static uint32_t take_number(struct bytes *line)
{
	uint32_t value = 0, digits = 0;

	while (isdigit(peek(line)) && digits < DIGITS_MAX) {
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
	while (peek(line) == ' ' || peek(line) == '*')
		bytes_take(line, 1);
}

static bool take_identifier(struct bytes *line)
{
	size_t length = 0;

	if (!is_word_byte(peek(line)) || isdigit(peek(line)))
		return false;
	while (length < line->left && is_word_byte(line->at[length]))
		length++;
	bytes_take(line, length);
	return true;
}

/* Returns whether there is text between the brackets. */
static bool take_brackets(struct bytes *line)
{
	bool is_empty;

	take_word(line, "[");
	is_empty = peek(line) == ']';
	while (is_word_byte(peek(line)))
		bytes_take(line, 1);
	take_word(line, "]");
	return !is_empty;
}

static bool begins_with(const struct bytes *line, const char *word)
{
	struct bytes copy = *line;

	take_word(&copy, word);
	return !copy.bad;
}

/*
 * A type and a name: "const char * filename", "unsigned long args[6]", "__data_loc char[] name". The last identifier is the name,
 * so there are at least two. Brackets with a size end the declaration. Empty brackets come before the name, and only in fields
 * that refer to their data.
 */
static void take_declaration(struct bytes *line)
{
	bool is_located = begins_with(line, "__data_loc ") || begins_with(line, "__rel_loc ");
	uint32_t identifiers = 0;
	bool has_brackets = false, is_sized = false;

	while (!is_sized && take_identifier(line)) {
		identifiers++;
		take_blanks(line);
		if (peek(line) != '[')
			continue;
		is_sized = take_brackets(line);
		if (has_brackets || (!is_sized && !is_located))
			line->bad = true;
		has_brackets = true;
		take_blanks(line);
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

	/* If the last field is cut, the form of its line is wrong. */
	while (rest.left) {
		struct bytes line = line_next(&rest);

		if (line.left >= sizeof(print) - 1 && !memcmp(line.at, print, sizeof(print) - 1))
			break;
		if (line.left && !is_field(line))
			return NULL;
		size = (size_t)(rest.at - (const uint8_t *)format->fields);
	}
	return mem_format("name: %s\nID: %u\nformat:\n%.*s\n%s \"\"\n", format->name, format->id,
			  (int)size, format->fields, print);
}
