/* daemon_publish: the files of `iotrace daemon`: what is now, the last hour, and metrics. */
#pragma once

#include "daemon_options.h"

#include <iotrace/steps.h>
#include <iotrace/totals.h>

struct error;

struct daemon_publish {
	const struct daemon_options *options;
	const struct totals *totals; /* lent */
	struct steps *steps;
	struct publisher *now, *past;        /* NULL: it could not be made; it is tried again */
	uint64_t start, retry;               /* ns since 1970; of CLOCK_MONOTONIC */
	uint64_t uncounted_since, uncounted; /* see publication.h */
	int lock;                            /* -1: none */
	bool has_failed;                     /* the metrics; it is said once */
};

/* Makes the directory, and locks it. Returns 0, or -errno with a message. */
int daemon_publish_open(struct daemon_publish *publish, const struct daemon_options *options,
			const struct totals *totals, struct error *err);
/* Publishes an interval. A full file system is said once, and tried again later. */
void daemon_publish_put(struct daemon_publish *publish);
/* Says that nobody counts until the next interval. */
void daemon_publish_uncounted(struct daemon_publish *publish);
void daemon_publish_close(struct daemon_publish *publish);
