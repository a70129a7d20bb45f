/*
 * stat_published: `iotrace stat` of the numbers that iotrace daemon publishes, for which no right is needed.
 *
 * A daemon that ends, is killed or started again is said, and awaited.
 */
#pragma once

#include "stat_options.h"

#include <stdbool.h>

/* Returns whether these numbers are wanted: with --daemon, or if nothing else can be shown and there is a daemon. */
bool stat_published_is_wanted(struct stat_options *options, int argc);
/* Returns whether this user may follow the whole machine. */
bool stat_may_follow_all(void);
/* Returns why there are no such numbers of a daemon, to be freed. */
char *stat_published_lack(const struct stat_options *options);
/* Shows them. command: for messages. Returns the exit status. */
struct command;
int stat_published(struct stat_options *options, const struct command *command, int argc,
		   char **argv);
