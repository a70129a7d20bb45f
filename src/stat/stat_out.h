/* stat_out: where the frames of `iotrace stat` go: a table, lines of JSON, lines of CSV. */
#pragma once

#include "analysis/span_run.h"
#include "stat_options.h"

#include <iotrace/frame_report.h>

struct stat_out {
	const struct stat_options *options;
	int json, csv;  /* descriptors of files; -1: none */
	uint32_t lines; /* since the last heading */
	bool has_begun;
	const char *failed; /* the file of `code`; NULL: standard output */
	int code; /* the first write that failed, -errno; a closed pipe is not a failure */
	bool is_closed;
};

/* Opens the files. Returns 0, or -errno with a message. */
int stat_out_open(struct stat_out *out, const struct stat_options *options, struct error *err);
struct frame_report stat_out_report(const struct stat_out *out, const struct span_run *run,
				    const struct frame *frame);
/* Sets width and style for this descriptor. */
void stat_out_style(struct frame_report *report, int fd);
/* fd: for tables. */
void stat_out_frame(struct stat_out *out, int fd, struct frame_report *report);
/* Returns whether the reader of all numbers has gone. */
bool stat_out_is_unread(const struct stat_out *out);
/* Returns 0, or -errno with a message if something could not be written. */
int stat_out_end(const struct stat_out *out, struct error *err);
void stat_out_close(struct stat_out *out);
