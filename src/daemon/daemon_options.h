/* daemon_options: the options of `iotrace daemon`. */
#pragma once

#include "option/options.h"
#include "record/record_options.h"

#include <stdint.h>

struct daemon_options {
	const char *directory; /* for the published files */
	const char *metrics, *metrics_file;
	const char *on_hang;
	uint64_t interval, hang; /* ns */
	struct record_flight flight;
	const char *archives; /* where the flight recorder writes them */
	uint64_t limit;       /* bytes on disk of all archives */
	int verbosity;
};

extern const struct option_row daemon_rows[];

void daemon_options_init(void *options);
void daemon_options_release(void *options);
