/* remote: the memory of other processes. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a terminated string from the memory of a process. Returns its length, or -errno. */
ssize_t remote_string(uint32_t pid, uint64_t address, char *out, size_t size);
