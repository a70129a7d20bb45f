/* paths: makes names from other names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the name of the archive that a capture becomes: that which a killed recording was to make; else without
 * ".spool" or ".data", or with ".otf2" behind. The caller frees it.
 */
char *path_of_conversion(const char *capture);
/* Returns a copy without slashes at its end. */
char *path_trimmed(const char *path);
bool path_exists(const char *path);
bool path_is_directory(const char *path);
/* Returns whether it is a file that somebody may execute. */
bool path_is_program(const char *path);
/*
 * Returns the first file called `name` in the directories of PATH for which is_it() holds, to be freed; NULL: none. Directories are
 * searched as execvp(3) does, below the directory `root` ("": from the root directory).
 */
char *path_search(const char *root, const char *name, bool (*is_it)(const char *path));
/* Returns whether execvp() may find a program of that name: false only if there is surely none. */
bool path_may_run(const char *name);
/* Returns the directories for temporary files, one after the other, the one of the environment first; NULL: no more. */
const char *path_temporary(uint32_t index);
/* Returns the name in /sys/block of a device that is given as NAME or /dev/NAME: part of `device`. */
const char *path_device(const char *device);
/* Returns whether the name is like that of a block device, or of its file in /dev. The device need not exist. */
bool path_is_like_device(const char *name);
