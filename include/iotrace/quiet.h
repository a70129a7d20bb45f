/*
 * quiet: ignores the signals SIGPIPE (no reader) and SIGXFSZ (a file may not grow). A failed write reports the
 * same, and the default action of these signals would end iotrace in the middle of its output.
 */
#pragma once

#include <signal.h>

enum { QUIET_SIGNALS = 2 };

/* The previous actions of the signals. */
struct quiet {
	struct sigaction before[QUIET_SIGNALS];
};

/* Ignores the signals from now on. */
void quiet_begin(struct quiet *quiet);
/* Restores the previous actions. May be called between fork and exec. */
void quiet_end(const struct quiet *quiet);
