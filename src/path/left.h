/* left: what killed recordings have left, and how to convert or remove it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Warns of unconverted recordings in the directory, in a few lines. */
void left_log(const char *directory);
/* Prints all of them, with commands. Returns how many there are. */
uint32_t left_list(const char *directory, FILE *out);
/*
 * Marks the spool as converted, and says that its work directory may be removed. Does nothing if `spool` is not in a work
 * directory.
 */
void left_converted(const char *spool, bool is_quiet);
