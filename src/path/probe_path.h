/* probe_path: finds the file of a program to probe. */
#pragma once

#include <iotrace/recording.h>

struct error;

/*
 * Opens the file. A word without a slash is a program in $PATH, or "qemu": the QEMU that is recorded, or an installed one. For
 * -p, a path is that of the process, which may run in a container. `command`: the words of the command, or NULL. Returns a
 * descriptor, or -errno with a message; `shown` gets the path, to be freed.
 */
int probe_path_open(const char *path, const struct recording *recording, char *const *command,
		    char **shown, struct error *err);
