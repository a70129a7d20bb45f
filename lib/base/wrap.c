#include <iotrace/wrap.h>

#include <iotrace/escape.h>

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* escape_columns() counts two columns for a backslash, because it would be escaped; in safe text it takes one. */
size_t wrap_columns(const char *text, size_t length)
{
	size_t columns = escape_columns(text, length);

	for (size_t i = 0; i < length; i++)
		columns -= text[i] == '\\';
	return columns;
}

/* Returns the length of the quoted words at the begin of the text, or 0. */
static size_t quoted(const char *text, size_t length)
{
	const char *end = *text == '\'' ? memchr(text + 1, '\'', length - 1) : NULL;

	return end ? (size_t)(end - text) : 0;
}

/* Returns the length of the text up to the next place where a line may end. */
static size_t phrase(const char *text, size_t length)
{
	size_t at = quoted(text, length);

	for (; at < length; at++)
		if (text[at] == ' ' && at && !isdigit((unsigned char)text[at - 1]))
			break;
	return at;
}

static bool fits(size_t used, size_t width, size_t columns)
{
	return !columns || used + 1 + width <= columns;
}

size_t wrap_print(FILE *out, const char *text, size_t length, size_t columns, size_t first,
		  size_t indent)
{
	const char *end = text + length;
	size_t used = first, size, width;
	bool has_word = false;

	fprintf(out, "%*s", (int)first, "");
	for (; text < end; text += size) {
		while (text < end && *text == ' ')
			text++;
		if (text == end)
			break;
		size = phrase(text, (size_t)(end - text));
		width = wrap_columns(text, size);
		if (has_word && !fits(used, width, columns)) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = indent;
		} else if (has_word) {
			fputc(' ', out);
			used++;
		}
		fwrite(text, 1, size, out);
		used += width;
		has_word = true;
	}
	return used;
}
