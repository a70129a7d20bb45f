/* archive_path: users name an OTF2 archive by its directory or by its anchor file. */
#pragma once

#include <stdbool.h>

/* Returns the directory, which the caller frees. As in other tools, the anchor file stands for its archive. */
char *archive_path(const char *path);
/* Returns whether the path is that of an archive: its directory, or its anchor file, which need not exist. */
bool archive_path_is(const char *path);
/* Returns whether the path is that of a file that begins as captures of iotrace and of perf record do. */
bool archive_path_is_capture(const char *path);
/* Returns why the path cannot be the directory of an archive, or NULL. */
const char *archive_path_wrong(const char *directory);
