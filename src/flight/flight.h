/* flight: `iotrace record --flight`: keeps what happened last in memory, and writes it when a trigger comes. */
#pragma once

#include "record/record_options.h"

struct error;
struct span_set;

/* Returns 0, or -EINVAL with a message: options that a flight recorder does not have. */
int flight_check(struct record_options *options, struct error *err);
/* Records. Returns the exit status. argv: the command; argc: 0 without one. */
int flight_record(const struct record_options *options, const struct span_set *spans, int argc,
		  char **argv);
