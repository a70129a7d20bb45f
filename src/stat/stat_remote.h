/* stat_remote: views of `iotrace stat` that a daemon counts for one user, who asks for them at its socket. */
#pragma once

#include "stat_options.h"

enum { STAT_REMOTE_WORD = 16 };

/* Returns whether a daemon can count this view. */
bool stat_remote_has(const char *view);
/*
 * Asks for the view of the options, and prints the answer until its end. Returns 0; 1 if there were only messages, which were
 * printed; or -errno with a message.
 */
int stat_remote(const struct stat_options *options, struct error *err);
