/*
 * daemon_count: the process of `iotrace daemon` that counts: block requests, calls on files, and requests to FUSE.
 *
 * It writes what was counted since the last time as lines: <iotrace/totals.h>. All is one recording, so each call of a program meets two
 * BPF programs, and each block request those of one view.
 */
#pragma once

#include <stdint.h>

struct command;
struct mount_names;
struct http;
struct peers;

struct daemon_count {
	const struct command *command; /* for messages */
	uint64_t interval;             /* ns */
	const struct http *http;       /* left to the daemon, and so are these; NULL: none */
	const struct peers *peers;
	int verbosity;
	struct mount_names *names; /* for what hangs; lent */
	uint64_t hang;             /* ns; 0: not wanted */
	const char *on_hang;       /* or NULL */
};

/* In a process of the daemon: signals end it again. */
void daemon_count_release_signals(void);
/* For feed_new(). context: a struct daemon_count. Returns the exit status. */
int daemon_count_run(void *context);
