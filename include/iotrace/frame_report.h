/*
 * frame_report: prints a frame as a table, as JSON and as CSV. All three take their numbers from frame_numbers(), so they cannot
 * disagree.
 */
#pragma once

#include <iotrace/frame.h>
#include <stdio.h>

/* A span that hangs, and the task that waits for it. The texts come from the kernel and may have any bytes; NULL: unknown (yet). */
struct frame_hang {
	struct span_seen seen;
	const char *comm;        /* if the engine does not know it */
	const char *call, *file; /* the system call that it waits in, and its file */
	const char *to;          /* the second file of a call such as rename() */
	const char *user, *group, *wchan, *stack; /* stack: as the kernel prints it, in lines */
};

struct frame_report {
	const struct span_engine *engine; /* may be NULL if there is `name` */
	/* Says how groups are called, which have no keys then; NULL: the engine does. */
	size_t (*name)(const void *context, const struct frame_row *row, char *text, size_t size);
	const void *name_context;
	bool has_keys; /* with `name`: the engine has the keys of what hangs */
	const struct frame *frame;
	const char *view;  /* "op", "span jbd2" */
	const char *title; /* title of the column of names */
	int64_t realtime;  /* offset from the trace's clock to ns since 1970 */
	size_t columns;    /* width of the terminal; 0: no terminal */
	bool has_style;    /* bold type */
	bool has_heading;
	bool has_no_total; /* rows are of several layers, which do the same work again */
	bool has_totals;   /* the table has sums since the begin instead of rates */
	uint32_t top;      /* rows of the table */
	const struct frame_hang *hang; /* the oldest first */
	uint32_t hangs;
};

/* The numbers of a row in one frame. */
struct frame_numbers {
	double ops, read, written, errors; /* per second */
	double service_us, p50_us, p99_us, max_us;
	double util;     /* percent */
	double oldest_s; /* age of the oldest span in flight; 0: none */
};

void frame_numbers(struct frame_numbers *numbers, const struct frame *frame,
		   const struct frame_row *row);
/* Writes the name of the row's group, any bytes and a NUL. Returns its length. */
size_t frame_name(const struct frame_report *report, const struct frame_row *row, char *text,
		  size_t size);
/* The same for a group. */
size_t frame_group_name(const struct frame_report *report, uint64_t group, char *text, size_t size);
/* Writes the key of what hangs, and a NUL; "": it has none. Returns its length. */
size_t frame_hang_key(const struct frame_report *report, const struct span_seen *seen, char *text,
		      size_t size);
/* Returns a hang as a JSON object in one line, which the command of --on-hang gets. The caller frees it. */
char *frame_hang_line(const struct frame_report *report, const struct frame_hang *hang);
/* Prints which tasks hang, where, and since when. Returns the number of lines. */
uint32_t frame_hangs_text(const struct frame_report *report, FILE *out);
/* Prints a table of the rows that were active in the interval. Returns the number of lines. */
uint32_t frame_text(const struct frame_report *report, FILE *out);
/* Prints all rows as a JSON object in one line. */
void frame_json(const struct frame_report *report, FILE *out);
/* Prints a line for each row and one for the total; with a heading, the names of the columns first. */
void frame_csv(const struct frame_report *report, FILE *out);
