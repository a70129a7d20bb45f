/*
 * frame_tell: a frame for people and for programs. All three take their numbers from frame_numbers(), so they cannot disagree.
 */
#pragma once

#include <iotrace/frame.h>
#include <stdio.h>

/* Something that hangs, and what is known of who waits for it. Texts are foreign; NULL: not known (yet). */
struct frame_hang {
	struct span_seen seen;
	const char *user, *wchan, *stack; /* stack: as the kernel prints it, in lines */
};

struct frame_tell {
	const struct span_engine *engine;
	const struct frame *frame;
	const char *view;  /* "op", "span jbd2" */
	const char *title; /* of the column of names */
	int64_t realtime;  /* what the trace's clock lacks to ns since 1970 */
	size_t columns;    /* of the terminal; 0: it is none */
	bool has_style;    /* bold type */
	bool has_heading;
	uint32_t top;                  /* rows of the table */
	const struct frame_hang *hang; /* the oldest first */
	uint32_t hangs;
};

/* Numbers of a row, of its frame. */
struct frame_numbers {
	double ops, read, written, errors; /* a second */
	double service_us, p50_us, p99_us, max_us;
	double util;     /* percent */
	double oldest_s; /* age of the oldest in flight; 0: there is none */
};

void frame_numbers(struct frame_numbers *numbers, const struct frame *frame,
		   const struct frame_row *row);
/* Returns the name of the row's group as bytes, always terminated; the length. */
size_t frame_name(const struct frame_tell *tell, const struct frame_row *row, char *text,
		  size_t size);
/* Returns a hang as an object of JSON in one line, as --on-hang gets it. The caller frees it. */
char *frame_hang_line(const struct frame_tell *tell, const struct frame_hang *hang);
/* Prints who hangs, where, and since when. Returns how many lines. */
uint32_t frame_hangs_text(const struct frame_tell *tell, FILE *out);
/* Prints a table of the rows that did anything in the interval. Returns how many lines. */
uint32_t frame_text(const struct frame_tell *tell, FILE *out);
/* Prints an object in one line: all rows. */
void frame_json(const struct frame_tell *tell, FILE *out);
/* Prints a line for each row and the total; the names of the columns before, if it has a heading. */
void frame_csv(const struct frame_tell *tell, FILE *out);
