/*
 * escape: one pass over the bytes, one unit (a character, or a byte that belongs to none) at a time.
 *
 * A unit is either copied or escaped byte by byte, and never cut. Characters that are invisible, or that move text (controls,
 * marks for the direction of writing), are escaped for a terminal: two different names must look different.
 */
#include <iotrace/escape.h>

#include "escape_width.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { UTF8_MAX = 4 };
#define NO_CHARACTER UINT32_MAX

enum target { FOR_TERMINAL, FOR_UTF8 };

struct unit {
	char text[UTF8_MAX * ESCAPE_MAX + 1];
	size_t length;
	size_t taken; /* number of bytes of the input */
	unsigned int columns;
};

/* The joiners U+200C and U+200D are not here: scripts and emoji need them. */
static const struct range unprintable[] = {
	{0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},   {0x180e, 0x180e},
	{0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfdd0, 0xfdef},
	{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f},
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool is_in(uint32_t c, const struct range *range, size_t count)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (c < range[middle].first)
			count = middle;
		else if (c > range[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/*
 * Returns the character at `at` and sets its length, or NO_CHARACTER. left is at least 1. It implements the Unicode Standard's
 * table of well-formed sequences: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
static uint32_t decode(const uint8_t *at, size_t left, size_t *length)
{
	static const uint32_t least[UTF8_MAX + 1] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t lead = at[0];
	uint32_t c;
	size_t i;

	*length = 1;
	if (lead < 0x80)
		return lead;
	if (lead < 0xc0 || lead > 0xf4)
		return NO_CHARACTER;
	*length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (*length > left)
		return NO_CHARACTER;
	c = lead & (0x7fu >> *length);
	for (i = 1; i < *length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return NO_CHARACTER;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < least[*length] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return NO_CHARACTER;
	return c;
}

/* Returns the letter after the backslash, or 0. */
static char short_escape(uint32_t c, enum target target)
{
	if (c == '\\')
		return '\\';
	if (target == FOR_UTF8)
		return 0;
	return c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : 0;
}

static bool stands(uint32_t c, enum target target)
{
	if (c == NO_CHARACTER)
		return false;
	/* A NUL would end the string. */
	if (target == FOR_UTF8)
		return c != 0;
	/* The last two code points of every plane are not characters. */
	return !is_in(c, unprintable, ARRAY_SIZE(unprintable)) && (c & 0xfffe) != 0xfffe;
}

static unsigned int columns(uint32_t c)
{
	if (is_in(c, zero_width, ARRAY_SIZE(zero_width)))
		return 0;
	return is_in(c, wide, ARRAY_SIZE(wide)) ? 2 : 1;
}

static void put_hex(struct unit *unit, uint8_t byte)
{
	static const char digit[] = "0123456789abcdef";
	char *out = unit->text + unit->length;

	out[0] = '\\';
	out[1] = 'x';
	out[2] = digit[byte >> 4];
	out[3] = digit[byte & 15];
	unit->length += ESCAPE_MAX;
}

/* Reads the next unit. left is at least 1. */
static struct unit unit_of(const uint8_t *at, size_t left, enum target target)
{
	struct unit unit = {.length = 0};
	uint32_t c = decode(at, left, &unit.taken);
	char letter = short_escape(c, target);
	size_t i;

	if (c == NO_CHARACTER)
		unit.taken = 1;
	if (letter) {
		unit.text[0] = '\\';
		unit.text[1] = letter;
		unit.length = 2;
	} else if (stands(c, target)) {
		memcpy(unit.text, at, unit.taken);
		unit.length = unit.taken;
		unit.columns = columns(c);
		return unit;
	} else {
		for (i = 0; i < unit.taken; i++)
			put_hex(&unit, at[i]);
	}
	unit.columns = (unsigned int)unit.length;
	return unit;
}

static size_t escape(char *out, size_t size, const char *bytes, size_t length, enum target target)
{
	size_t used = 0;
	size_t at = 0;

	if (!size)
		return 0;
	while (at < length) {
		struct unit unit = unit_of((const uint8_t *)bytes + at, length - at, target);

		if (unit.length >= size - used)
			break;
		memcpy(out + used, unit.text, unit.length);
		used += unit.length;
		at += unit.taken;
	}
	out[used] = '\0';
	return used;
}

size_t escape_text(char *out, size_t size, const char *bytes, size_t length)
{
	return escape(out, size, bytes, length, FOR_TERMINAL);
}

size_t escape_utf8(char *out, size_t size, const char *bytes, size_t length)
{
	return escape(out, size, bytes, length, FOR_UTF8);
}

void escape_print(FILE *out, const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length) {
		struct unit unit = unit_of((const uint8_t *)bytes + at, length - at, FOR_TERMINAL);

		fwrite(unit.text, 1, unit.length, out);
		at += unit.taken;
	}
}

void escape_print_again(FILE *out, const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		const char *backslash = memchr(text + at, '\\', length - at);
		size_t end = backslash ? (size_t)(backslash - text) : length;

		escape_print(out, text + at, end - at);
		if (backslash)
			fputc('\\', out);
		at = end + 1;
	}
}

size_t escape_columns(const char *bytes, size_t length)
{
	size_t sum = 0;
	size_t at = 0;

	while (at < length) {
		struct unit unit = unit_of((const uint8_t *)bytes + at, length - at, FOR_TERMINAL);

		sum += unit.columns;
		at += unit.taken;
	}
	return sum;
}

/* Returns the value of a digit as escape_utf8() writes it, or -1. */
static int digit_of(char c)
{
	static const char digit[] = "0123456789abcdef";
	const char *at = c ? strchr(digit, c) : NULL;

	return at ? (int)(at - digit) : -1;
}

size_t escape_undo(char *text, size_t length)
{
	size_t to = 0;

	for (size_t from = 0; from < length; from++) {
		const char *at = text + from;
		size_t left = length - from;
		bool is_byte = left >= 4 && at[0] == '\\' && at[1] == 'x';
		int high = is_byte ? digit_of(at[2]) : -1, low = is_byte ? digit_of(at[3]) : -1;

		if (high >= 0 && low >= 0) {
			text[to++] = (char)(high * 16 + low);
			from += 3;
		} else {
			text[to++] = *at;
			from += left >= 2 && at[0] == '\\' && at[1] == '\\';
		}
	}
	text[to] = '\0';
	return to;
}
