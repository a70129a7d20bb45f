/* paths: derives names from other names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the name of the archive for a capture: the one that a killed recording would have made; otherwise the name without
 * ".spool" or ".data", or with ".otf2" appended. The caller frees it.
 */
char *path_of_conversion(const char *capture);
/* Returns a copy without trailing slashes. */
char *path_trimmed(const char *path);
bool path_exists(const char *path);
bool path_is_directory(const char *path);
/* Returns whether it is an executable file. */
bool path_is_program(const char *path);
/*
 * Returns the first file called `name` in the directories of PATH for which is_it() is true, to be freed; NULL: none. Directories
 * are searched as by execvp(3), below the directory `root` ("": from the root directory).
 */
char *path_search(const char *root, const char *name, bool (*is_it)(const char *path));
/* Returns whether execvp() may find a program with this name: false only if there is certainly none. */
bool path_may_run(const char *name);
/* Returns the directories for temporary files one after the other, that of the environment first; NULL at the end. */
const char *path_temporary(uint32_t index);
/* Returns the name in /sys/block of a device given as NAME or /dev/NAME: a part of `device`. */
const char *path_device(const char *device);
/* Returns whether the name looks like a block device or its file in /dev. The device need not exist. */
bool path_is_like_device(const char *name);
