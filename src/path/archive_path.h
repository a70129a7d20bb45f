/* archive_path: how users name an OTF2 archive: by its directory, or by its anchor file. */
#pragma once

#include <stdbool.h>

/* Returns the directory, which the caller frees. The anchor file stands for its archive, as for other tools. */
char *archive_path(const char *path);
/* Returns whether it names an archive: its directory, or its anchor file, which need not be there. */
bool archive_path_is(const char *path);
/* Returns why it cannot be the directory of an archive, or NULL. */
const char *archive_path_wrong(const char *directory);
