/*
 * environment: the environment that the caller of iotrace meant for the command.
 *
 * A program with capabilities of its file runs in the loader's secure mode (ld.so(8)), which takes LD_LIBRARY_PATH, LD_PRELOAD,
 * TMPDIR, GLIBC_TUNABLES and others out of the environment, so that they have no power over it. The command runs with the
 * caller's own rights and gets them back; iotrace itself never does.
 */
#pragma once

/*
 * Returns the environment for the command, NULL-terminated; never freed. The last word of argv, which is NULL-terminated
 * and not empty, must be the last argument of this process, as the kernel laid it down.
 */
char **environment_of_caller(char *const argv[]);
/* Returns an environment with one more variable, "NAME=VALUE", which goes before others of its name; never freed. */
char **environment_with(char *const environment[], char *variable);
