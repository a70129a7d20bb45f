/* path_globs: patterns of --path and --exclude-path, and which names of files they choose. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_glob {
	char *glob;
	bool is_exclusion;
};

struct path_globs {
	struct path_glob *glob;
	uint32_t globs, capacity;
	uint32_t inclusions; /* how many of them are of --path */
};

/* The text is copied. */
void path_globs_add(struct path_globs *globs, bool is_exclusion, const char *text);
void path_globs_release(struct path_globs *globs);
/*
 * Returns whether the name matches none of --exclude-path, and one of --path if there are any. An empty name is that of a file without
 * a name: only --path excludes it.
 */
bool path_globs_want(const struct path_globs *globs, const char *name);
