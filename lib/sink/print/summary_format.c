/* summary_format: numbers for people. Three digits are enough, and keep the width of a column constant. */
#include "summary_name.h"

#include <stdio.h>

/* Returns the number of digits after the point for three digits in all. */
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

const char *summary_rate(char out[SUMMARY_NUMBER], double bytes_per_second)
{
	char number[SUMMARY_NUMBER];

	summary_bytes(number, bytes_per_second < 1e18 ? (uint64_t)(bytes_per_second + 0.5)
						      : (uint64_t)1e18);
	snprintf(out, SUMMARY_NUMBER, "%.*s/s", SUMMARY_NUMBER - 3, number);
	return out;
}

const char *summary_time(char out[SUMMARY_NUMBER], uint64_t ns)
{
	static const struct {
		const char *unit;
		double ns, below; /* from this value on, the next unit is used */
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
