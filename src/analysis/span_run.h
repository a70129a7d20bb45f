/* span_run: passes events of an archive, a capture or a recording to the engine that finds spans in them. */
#pragma once

#include "command.h"
#include "run/run.h"
#include "span/span_options.h"
#include "span_stack.h"

#include <iotrace/span_engine.h>

struct live;

/* A run of `iotrace latency`, `iotrace leaks` or `iotrace stat`. The caller sets the members before `run`. */
struct span_run {
	struct span_options *options;
	const struct span_output *output;
	uint64_t lag;   /* ns: a round is so much later, when all events before it have come */
	bool is_prompt; /* a round does not wait for events that have come */
	/* Called at each --interval or --every, with the time in `now`; or NULL. */
	void (*round)(void *context);
	/* Called before a recording begins; or NULL. May set lag and is_prompt. Returns 0, or -errno with a message. */
	int (*started)(void *context, struct live *live, struct error *err);
	/* Called when a recording has ended; or NULL. */
	void (*ended)(void *context, struct live *live);
	/* Called at the end. Returns 0, or -errno with a message. */
	int (*report)(void *context, struct error *err);
	void *context;
	struct run *run;
	struct span_engine *engine;
	struct live *live;          /* NULL: nothing is recorded */
	struct span_stacks *stacks; /* NULL: not wanted */
	int fd;          /* for text: standard output belongs to the command, if there is one */
	uint64_t start;  /* begin of the recording; like the next two, in the monotonic clock */
	uint64_t now;    /* last call of round(); 0: never */
	uint64_t next;   /* time of the next call */
	bool has_failed; /* nothing was read or recorded: there is nothing to report */
};

/* Runs the whole command. `otherwise` is the span without --span. Prints errors. Returns the exit status. */
int span_run_command(struct span_run *run, const struct command *command, const char *otherwise,
		     int argc, char **argv);
/* The same for a recording of a command, of processes or of the machine. argv: the command, or NULL. */
int span_run_live(struct span_run *run, int argc, char **argv);
