/* duration: a length of time on the command line, such as "10", "0.5", "800us" or "2m". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Parses a duration above 0 to nanoseconds. A number without a unit is in seconds. Returns 0, or -errno with a message. */
int duration_parse(uint64_t *ns, const char *text, struct error *err);
/* The same, but a number without a unit is in milliseconds, and 0 is allowed. */
int duration_parse_ms(uint64_t *ns, const char *text, struct error *err);
/* An option row's parser of the time between two readings of counters, into a uint64_t, ns. Returns 0, or -errno with a message. */
int duration_parse_interval(void *ns, const char *text, struct error *err);
/* Returns whether counters may be read in such an interval: 10ms to 1h. */
bool duration_is_interval(uint64_t ns);
