/*
 * span_run: events from wherever they come, to the engine that looks for spans in them.
 */
#pragma once

#include "run/run.h"
#include "span_options.h"

#include <iotrace/span_engine.h>

/* A search. One destructor: span_run_release(). */
struct span_run {
	struct span_options *options;
	struct run *run;
	struct span_engine *engine;
	uint64_t now; /* of the monotonic clock, when round() was called last */
	/* Called while it goes on, some times a second at most; or NULL. */
	void (*round)(void *context);
	void *context;
	bool has_failed; /* to run the command: nothing is to be told */
};

/* Returns whether the operand is an archive, a capture or a file of perf record. */
bool span_run_is_file(const char *path);
/* Makes run and engine; for an archive or for events. `output` is copied. Returns 0, or -EINVAL with a sentence. */
int span_run_init(struct span_run *run, const char *path, const struct span_output *output,
		  struct error *err);
/* Reads the file to its end. Returns 0, or -errno with a sentence; 1: it was stopped. */
int span_run_file(struct span_run *run, const char *path, struct error *err);
/* Records a command, processes or the machine. Returns the exit status; errors are printed. argv: the command, or NULL. */
int span_run_live(struct span_run *run, int argc, char **argv);
void span_run_release(struct span_run *run);
