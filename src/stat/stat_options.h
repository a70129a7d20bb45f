/* stat_options: the options of `iotrace stat`. */
#pragma once

#include "span/span_options.h"

struct stat_options {
	struct span_options span; /* first: its rows are ours; `by` is the view */
	struct span_file csv;
	uint32_t count; /* of intervals; 0: until the end */
	bool is_batch;
	uint64_t hang;       /* ns: what is in flight for longer hangs; 0: it does not matter */
	const char *on_hang; /* a command of a shell, or NULL */
	const char *view;    /* after stat_options_complete(): "op"; lent */
	const char *title;   /* of the column of names */
	char *own_view;      /* "span NAME", or NULL */
};

extern const struct option_row stat_rows[];

void stat_options_init(void *options);
void stat_options_release(void *options);
/* Chooses view and span. Returns the span of the view; NULL with a sentence. */
const char *stat_options_view(struct stat_options *options, struct error *err);
