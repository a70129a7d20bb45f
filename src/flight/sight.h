/*
 * sight: finds in the io_events of a window the call, asynchronous operation or block request that is a trigger, with its names. It is a sink that writes nothing.
 */
#pragma once

#include "record/trigger.h"

struct sink_ops;

/* Pass it as the context of the sink's options. Lent until the sink is closed. */
struct sight {
	const struct triggers *triggers;
	uint64_t from;  /* only what ended, or began to hang, at this time or later */
	uint64_t until; /* the time at the end of the window */
	/* Results: the first one. */
	const struct trigger *trigger; /* NULL: there is none */
	uint64_t time;
	char text
		[512]; /* "read of /data/x by dd (process 17) took 1.204 s"; its bytes are those of any name */
};

extern const struct sink_ops sight_ops;
