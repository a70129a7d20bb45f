/* span_print: prints the numbers of spans. */
#pragma once

#include "span_run.h"

#include <iotrace/span_report.h>

/* Returns what all outputs have in common. */
struct span_report span_report_of(const struct span_run *run);
/* Writes the output of `how` to the file, or without a path to the descriptor. Returns 0, or -errno with a message. */
int span_print(void (*how)(const struct span_report *report, FILE *out),
	       const struct span_report *report, const char *path, int fd, struct error *err);
/* Prints a part of the report while the recording runs. If its reader has gone, nobody waits for more: the recording ends. */
void span_print_part(struct span_run *run, void (*how)(const struct span_report *report, FILE *out),
		     const struct span_report *report);
