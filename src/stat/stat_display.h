/*
 * stat_display: `iotrace stat` on a terminal.
 *
 * A child process counts and writes its frames as lines of JSON, and this process shows them. So the display does not wait for what
 * hangs, and another view is another child.
 */
#pragma once

#include "stat_options.h"

/* Counts as the options say, with this span. Returns the exit status. */
typedef int (*stat_count)(struct stat_options *options, const char *span, int argc, char **argv);

/* Returns whether the tables go to a terminal that the display can have for itself. */
bool stat_display_is_wanted(const struct stat_options *options, int argc);
/*
 * Shows frames until the user quits or the count of intervals is reached. Returns the exit status of the last child, or -1 if the
 * terminal cannot show them.
 */
int stat_display_run(struct stat_options *options, const char *span, stat_count count, int argc,
		     char **argv);
