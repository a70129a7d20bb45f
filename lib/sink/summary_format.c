/*
 * summary_format: numbers and names as a person reads them. Three digits say enough, and a column keeps
 * its width.
 */
#include "summary.h"

#include <iotrace/escape.h>
#include <string.h>

/* Returns how many digits after the point make three in all. */
static int decimals(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

const char *summary_bytes(char out[SUMMARY_NUMBER], uint64_t bytes)
{
	static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes / 1024;
	uint32_t i = 0;

	if (bytes < 1024) {
		snprintf(out, SUMMARY_NUMBER, "%u B", (unsigned int)bytes);
		return out;
	}
	for (; value >= 1023.5 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		value /= 1024;
	snprintf(out, SUMMARY_NUMBER, "%.*f %s", decimals(value), value, unit[i]);
	return out;
}

const char *summary_time(char out[SUMMARY_NUMBER], uint64_t ns)
{
	static const struct {
		const char *unit;
		double ns, below; /* `below`: the next unit begins here */
	} row[] = {{"us", 1e3, 999.5e3},
		   {"ms", 1e6, 999.5e6},
		   {"s", 1e9, 9999.5e9},
		   {"h", 3600e9, 0}};
	uint32_t i = 0;

	if (ns < 1000) {
		snprintf(out, SUMMARY_NUMBER, "%u ns", (unsigned int)ns);
		return out;
	}
	while (row[i].below > 0 && (double)ns >= row[i].below)
		i++;
	snprintf(out, SUMMARY_NUMBER, "%.*f %s", decimals((double)ns / row[i].ns),
		 (double)ns / row[i].ns, row[i].unit);
	return out;
}

const char *summary_count(char out[SUMMARY_NUMBER], uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *at = out;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return out;
}

/* Returns how many bytes the character at `at` takes, going by its first byte. */
static size_t step_forward(const char *at, size_t left)
{
	unsigned char lead = (unsigned char)*at;
	size_t size = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	return size < left ? size : left;
}

static size_t step_back(const char *end, size_t left)
{
	size_t size = 1;

	while (size < 4 && size < left && ((unsigned char)end[-(ptrdiff_t)size] & 0xc0) == 0x80)
		size++;
	return size;
}

/* Returns the bytes at the beginning that fit into `columns`. */
static size_t fit_head(const char *bytes, size_t length, size_t columns)
{
	size_t used = 0, step, width;

	for (; used < length; used += step, columns -= width) {
		step = step_forward(bytes + used, length - used);
		width = escape_columns(bytes + used, step);
		if (width > columns)
			break;
	}
	return used;
}

/* Returns the bytes at the end that fit into `columns`. */
static size_t fit_tail(const char *bytes, size_t length, size_t columns)
{
	size_t used = 0, step, width;

	for (; used < length; used += step, columns -= width) {
		step = step_back(bytes + length - used, length - used);
		width = escape_columns(bytes + length - used - step, step);
		if (width > columns)
			break;
	}
	return used;
}

const char *summary_name(char *out, size_t size, const char *bytes, size_t length, size_t columns)
{
	static const char cut[] = "...";
	size_t head, tail, at;

	if (columns < 8)
		columns = 8;
	if (escape_columns(bytes, length) <= columns) {
		escape_text(out, size, bytes, length);
		return out;
	}
	/* The end of a path tells more than its beginning. */
	columns -= sizeof(cut) - 1;
	head = fit_head(bytes, length, columns / 3);
	tail = fit_tail(bytes + head, length - head, columns - escape_columns(bytes, head));
	at = escape_text(out, size, bytes, head);
	if (at + sizeof(cut) > size)
		return out;
	memcpy(out + at, cut, sizeof(cut));
	at += sizeof(cut) - 1;
	escape_text(out + at, size - at, bytes + length - tail, tail);
	return out;
}
