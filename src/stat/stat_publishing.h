/* stat_publishing: whether a daemon publishes in a directory. */
#pragma once

#include <stdbool.h>

/*
 * Returns whether the daemon whose file is in the directory publishes now. If it does not, *why says so, to be freed; otherwise it is
 * NULL. A file that cannot be understood may be that of another iotrace, which runs.
 */
bool stat_is_publishing(const char *directory, char **why);
/* Returns a sentence about a daemon that does not run, to be freed; NULL: it runs. path: of its file. boot_id: of this boot. */
struct publication;
char *stat_publishing_state(const struct publication *publication, const char *path,
			    const char *boot_id);
