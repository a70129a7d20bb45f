/*
 * span_print: where the numbers of spans are printed.
 */
#pragma once

#include "span_run.h"

#include <iotrace/span_tell.h>

/* Returns what all outputs have in common. Text goes to `fd`. */
struct span_tell span_tell_of(const struct span_run *run, int fd);
/* Writes what `how` prints, to the file, or without a path to the descriptor. Returns 0, or -errno with a sentence. */
int span_print(void (*how)(const struct span_tell *tell, FILE *out), const struct span_tell *tell,
	       const char *path, int fd, struct error *err);
/* Reads the file, and tells what went wrong. Returns the exit status; run->has_failed: there is nothing to tell. */
int span_print_of_file(struct span_run *run, const char *file);
