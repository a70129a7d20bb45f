/* select: --syscalls: which groups of system calls are recorded. */
#pragma once

#include <stdint.h>

struct error;

/* Returns the default groups, as bits 1 << enum call_group. */
uint32_t select_default(void);
/*
 * For an OPTION_CALL row; the field is a uint32_t of such bits. SPEC is a list with commas: `data,sync` are exactly these groups,
 * `+mmap,-lock` changes the default; `all` and `default` are sets. The groups open and task are always included.
 */
int select_parse(void *groups, const char *spec, struct error *err);
