/* left: what killed recordings left, and how to convert or remove it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Warns of what lies in the directory and was not converted, in a few lines. */
void left_tell(const char *directory);
/* Prints all that lies in the directory, with commands. Returns how many. */
uint32_t left_list(const char *directory, FILE *out);
/*
 * Notes that the spool is converted, and says that its work directory may be removed; nothing if `spool` is no such file.
 */
void left_converted(const char *spool, bool is_quiet);
