/* stop: ends the recording of another iotrace from outside. The recorded processes continue. */
#pragma once

#include <signal.h>
#include <sys/types.h>

struct error;

/* Every recorder blocks this signal and reads it, so it also works if the caller ignores signals. */
#define STOP_SIGNAL SIGUSR1

/*
 * Returns 0 if the process is a recorder: it has the name of iotrace and blocks the signal. Otherwise returns -errno with a
 * message that says what it is.
 */
int stop_check(pid_t pid, struct error *err);
/*
 * Sends STOP_SIGNAL to a process if it is a recorder, so no other program can be killed. Returns 0, or -errno with a message. The recorder writes its archive after that.
 */
int stop_recorder(pid_t pid, struct error *err);
