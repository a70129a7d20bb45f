#include "duration.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stdlib.h>
#include <string.h>

static const double ns_per_s = 1e9, ns_per_ms = 1e6, ns_most = 1e18;
static const uint64_t interval_least = 10000000, interval_most = UINT64_C(3600000000000);

/* Parses a number and a unit. Returns false if it is invalid or too large. */
static bool take(const char *text, double ns_without_unit, uint64_t *ns)
{
	const struct {
		const char *name;
		double ns;
	} unit[] = {{"", ns_without_unit}, {"ns", 1},   {"us", 1e3},   {"ms", ns_per_ms},
		    {"s", ns_per_s},       {"m", 6e10}, {"min", 6e10}, {"h", 3600e9}};
	size_t length = strspn(text, "0123456789.");
	char *end = NULL;
	double value = length ? strtod(text, &end) : -1; /* strtod() would also accept exponents */

	if (end != text + length)
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		if (strcmp(end, unit[i].name) != 0 || value * unit[i].ns > ns_most)
			continue;
		*ns = (uint64_t)(value * unit[i].ns + 0.5);
		return true;
	}
	return false;
}

int duration_parse(uint64_t *ns, const char *text, struct error *err)
{
	uint64_t value;

	if (!take(text, ns_per_s, &value) || !value)
		return error_say(
			err, EINVAL,
			"invalid time '%s': expected a number of seconds above 0, or with ns, us, "
			"ms, s, m or h, for example 10, 0.5 or 20ms",
			text);
	*ns = value;
	return 0;
}

int duration_parse_ms(uint64_t *ns, const char *text, struct error *err)
{
	uint64_t value;

	if (!take(text, ns_per_ms, &value))
		return error_say(err, EINVAL,
				 "invalid time '%s': expected milliseconds, or a number with us, "
				 "ms, s, m or h, for example 100 or 1s",
				 text);
	*ns = value;
	return 0;
}

bool duration_is_interval(uint64_t ns)
{
	return ns >= interval_least && ns <= interval_most;
}

int duration_parse_interval(void *ns, const char *text, struct error *err)
{
	uint64_t value = 0;
	int code = duration_parse(&value, text, err);

	if (code)
		return code;
	if (!duration_is_interval(value))
		return error_say(err, EINVAL, "invalid interval '%s': expected 10ms to 1h", text);
	*(uint64_t *)ns = value;
	return 0;
}
