/*
 * each: an archive for each command of a shared recording (--each).
 *
 * There is one recording with one capture. Each command has its own model and sinks, which get the events of its descendants, so
 * its archive is the one that a recorder of this command alone would have made. The run that reads the capture has all events,
 * and makes the summary.
 */
#pragma once

#include "output.h"

struct each;
struct error;
struct event;
struct place;
struct span;

/* Lent until each_free(). */
struct each_options {
	const struct output_options *output;
	const struct run *run; /* the run that reads the stream */
	bool is_private;       /* as in struct output */
	uint32_t groups;
	const struct span *const *span; /* those of the run */
	uint32_t spans;
	/* Returns the place for the archive of a command, which is taken over; NULL: none. */
	struct place *(*place_of)(void *context, const struct event *command);
	void *context;
};

struct each *each_new(const struct each_options *options);
/* For run_source.on_event: processes an event of the stream. */
void each_take(struct each *each, const struct event *event);
/* For run_source.on_span: a span may begin in one command and end in another, so all of them get its tracepoints. */
void each_take_span(struct each *each, const struct event *event);
/* Returns false after the last archive; *place: where it grows, lent, or NULL. */
bool each_place(const struct each *each, uint32_t index, const struct place **place);
/* Returns whether one of the archives is cut short. */
bool each_is_cut_short(const struct each *each);
/* The stream has ended: completes the archives. Returns 0, or -errno with the first error. */
int each_close(struct each *each, bool is_complete, struct error *err);
/* Prints on standard error which archives there are. */
void each_log(const struct each *each);
/* Removes archives that each_close() has not completed. NULL is fine. */
void each_free(struct each *each);
