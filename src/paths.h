/*
 * paths: names of archives and spools, and whether they can be made.
 */
#ifndef IOTRACE_PATHS_H
#define IOTRACE_PATHS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct error;

/* Returns iotrace-HOST-YYYYmmdd-HHMMSS-PID; the caller frees it. */
char *path_of_recording(void);
/*
 * Returns the name of the archive that a capture becomes: without ".spool" or ".data", else with ".otf2" behind.
 * The caller frees it.
 */
char *path_of_conversion(const char *capture);
/* Returns a copy without slashes at its end. */
char *path_trimmed(const char *path);
bool path_exists(const char *path);
bool path_is_directory(const char *path);
/* Returns 0 if something can be made there: it is not there yet and its directory can be written. `what`: "-o". */
int path_check_new(const char *what, const char *path, struct error *err);
/* Takes away a file, or a directory with all that is in it. */
void path_remove(const char *path);

#ifdef __cplusplus
}
#endif
#endif
