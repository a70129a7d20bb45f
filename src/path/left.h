/* left: what killed recordings left, and how to convert or remove it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Warns of unconverted recordings in the directory, in a few lines. */
void left_log(const char *directory);
/* Prints all of them, with commands. Returns how many there are. */
uint32_t left_list(const char *directory, FILE *out);
/*
 * Notes that the spool is converted, and says that its work directory may be removed; nothing if `spool` is no such file.
 */
void left_converted(const char *spool, bool is_quiet);
