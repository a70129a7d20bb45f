/*
 * environment: the environment that the caller of iotrace meant for the command.
 *
 * If a program file has capabilities, the loader runs it in secure mode (ld.so(8)): it removes LD_LIBRARY_PATH, LD_PRELOAD,
 * TMPDIR, GLIBC_TUNABLES and others from the environment, so that they cannot influence it. The command runs with the caller's
 * own rights, so it gets these variables back; iotrace itself never does.
 */
#pragma once

/*
 * Returns the environment for the command, NULL-terminated; never freed. The last word of argv, which is NULL-terminated
 * and not empty, must be the last argument of this process, as the kernel laid it down.
 */
char **environment_of_caller(char *const argv[]);
/* Returns an environment with one more variable, "NAME=VALUE", which comes before others of its name. It is never freed. */
char **environment_with(char *const environment[], char *variable);
