/*
 * daemon_serve: what is not for everybody. Views whose rows are calls: a user sees those of his own threads, and root sees all. A snapshot
 * of the flight recorder: for root and the user of the daemon.
 */
#pragma once

#include <stdint.h>

struct command;

struct daemon_serving {
	const struct command *stat, *snapshot;
	int flight; /* the process of the flight recorder; 0: none */
};

/* For peers_serve(). context: a struct daemon_serving. */
int daemon_serve(void *context, uint32_t uid, const char *request);
