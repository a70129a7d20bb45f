/* stat_paths: chooses the rows of `iotrace stat --by file` that --path and --exclude-path want, where the kernel counts all of them. */
#pragma once

#include <iotrace/map.h>
#include <iotrace/path_globs.h>

struct recording;

struct stat_paths {
	struct path_globs globs;
	struct map verdict; /* of groups */
};

void stat_paths_open(struct stat_paths *paths, const struct recording *recording);
void stat_paths_close(struct stat_paths *paths);
/* Returns whether the row of the group, a file with this name, is wanted. A group keeps its name. */
bool stat_paths_want(struct stat_paths *paths, uint64_t group, const char *name);
