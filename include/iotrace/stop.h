/*
 * stop: ends a recording of another iotrace from outside, and nothing else: what it follows runs on.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

struct error;

/* Every recorder answers this signal, also one whose caller ignores signals: it is blocked and read. */
#define STOP_SIGNAL SIGUSR1

/*
 * Sends STOP_SIGNAL to a process once it is known to be a recorder: its name is iotrace's, and it blocks the signal,
 * so that nothing else could be killed by it. Returns 0, or -errno with a sentence. The archive is written after that.
 */
int stop_recorder(pid_t pid, struct error *err);
