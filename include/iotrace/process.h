/* process: running processes, the programs that they run, and the files that they see. */
#pragma once

#include <stdint.h>

/* Calls back with the number of each process, in rising order. */
void process_each(void (*call)(void *context, uint32_t pid), void *context);
/* Returns the target of a link that /proc has for the process, such as "exe" or "ns/mnt". To be freed. NULL and errno: none. */
char *process_link(uint32_t pid, const char *name);
/* Returns a path that leads to the program of the process, even if the file was replaced or is in a container. To be freed. */
char *process_program(uint32_t pid);
/* Returns a path that leads to the file which the process sees at `path`; "": its root directory. To be freed. */
char *process_path(uint32_t pid, const char *path);
/* Opens the kernel's table of symbols. Returns a descriptor, or -1. */
int process_kernel_symbols(void);
