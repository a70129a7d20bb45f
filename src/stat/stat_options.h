/* stat_options: the options of `iotrace stat`. */
#pragma once

#include "span/span_options.h"

struct stat_options {
	struct span_options
		span; /* first, because the rows of its options are used here; `by` is the view */
	struct span_file csv;
	uint32_t count; /* number of intervals; 0: until the end */
	bool is_batch, has_totals;
	bool is_of_daemon;     /* --daemon */
	const char *directory; /* of the daemon */
	uint64_t since;        /* ns: the history of this time before now; 0: not wanted */
	uint64_t hang;         /* ns: a span in flight for longer hangs; 0: not wanted */
	const char *on_hang;   /* a shell command, or NULL */
	const char *view;      /* "op"; set by stat_options_view(); lent */
	const char *title;     /* title of the column of names */
	char *own_view;        /* "span NAME", or NULL */
	char *own_span;        /* the definition of a span that is made for the view, or NULL */
};

extern const struct option_row stat_rows[];

void stat_options_init(void *options);
void stat_options_release(void *options);
/* Whether the options go together. Returns 0, or -EINVAL with a message. */
int stat_options_check(const struct stat_options *options, struct error *err);
/* Chooses view and span. Returns the span of the view; or NULL with a message. */
const char *stat_options_view(struct stat_options *options, struct error *err);
