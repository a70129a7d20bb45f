/* span_run: passes events of an archive, a capture or a recording to the engine that finds spans in them. */
#pragma once

#include "command.h"
#include "run/run.h"
#include "span_options.h"
#include "span_stack.h"

#include <iotrace/span_engine.h>

struct live;

/* A run of `iotrace latency` or `iotrace leaks`. The first six are the caller's. */
struct span_run {
	struct span_options *options;
	const struct span_output *output;
	void (*round)(void *context); /* at each --interval or --every, which `now` is; or NULL */
	void (*ended)(void *context, struct live *live); /* when a recording has ended; or NULL */
	int (*report)(void *context,
		      struct error *err); /* at the end; returns 0, or -errno with a sentence */
	void *context;
	struct run *run;
	struct span_engine *engine;
	struct span_stacks *stacks; /* NULL: not wanted */
	int fd; /* for text: standard output is the command's own, if there is one */
	uint64_t
		start; /* of the recording; it and the next two are moments of the monotonic clock */
	uint64_t now;  /* when round() was called last; 0: never */
	uint64_t next;   /* when it is due */
	bool has_failed; /* nothing was read or recorded: there is nothing to report */
};

/* All that the command does. `otherwise` is the span without --span. Returns the exit status; errors are printed. */
int span_run_command(struct span_run *run, const struct command *command, const char *otherwise,
		     int argc, char **argv);
/* Records a command, processes or the machine. The same. argv: the command, or NULL. */
int span_run_live(struct span_run *run, int argc, char **argv);
