/*
 * quiet: signals that only repeat what a failed write says: SIGPIPE (nobody reads any more) and SIGXFSZ (a file may not grow).
 * Their default action would end iotrace in the middle of its output.
 */
#pragma once

#include <signal.h>

enum { QUIET_SIGNALS = 2 };

/* What the signals did before. */
struct quiet {
	struct sigaction before[QUIET_SIGNALS];
};

/* Ignores the signals from now on. */
void quiet_begin(struct quiet *quiet);
/* Gives them back what they did before. May be called between fork and exec. */
void quiet_end(const struct quiet *quiet);
