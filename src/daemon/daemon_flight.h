/*
 * daemon_flight: the flight recorder of `iotrace daemon`, a process of its own that records the whole machine.
 *
 * Archives have names of files and commands of all users, so only the user of the daemon may read them.
 */
#pragma once

#include "daemon_options.h"

#include <stdbool.h>

struct error;
struct feed;
struct http;
struct peers;

struct daemon_flight {
	const struct daemon_options *options;
	const struct http *http; /* left to the daemon, and so are these; NULL: none */
	const struct peers *peers;
	struct feed *feed; /* NULL: the process does not run */
	bool is_ready;     /* it has recorded */
	uint64_t next;     /* when the next one begins */
	unsigned wait_s;
};

/* Returns 0, or -EINVAL with a message: options that do not go together. */
int daemon_flight_check(struct daemon_options *options, struct error *err);
/* Starts it, if it is wanted, does not run, and it is time. Returns 0, or -errno with a message. */
int daemon_flight_start(struct daemon_flight *flight, struct error *err);
/* Prints what it says, without waiting. Returns false if it has ended and has never recorded. */
bool daemon_flight_look(struct daemon_flight *flight);
/* Ends it. An archive whose trigger has come is still written. */
void daemon_flight_end(struct daemon_flight *flight);
