/*
 * sight: finds in the io_events of a window the call, asynchronous operation or block request that is a trigger, with its names. It is a sink that writes nothing.
 */
#pragma once

#include "record/trigger.h"

#include <iotrace/watch.h>
#include <stdint.h>

struct sink_ops;

/* Hangs that already have an archive. A hang gets one archive, however long it lasts. */
enum { SIGHT_TOLD = 256 };
struct sight_told {
	struct {
		uint64_t begin;
		uint32_t pid;
	} hang[SIGHT_TOLD];
	uint32_t count; /* so far; the last of them are in the ring */
};

/* Pass it as the context of the sink's options. Lent until the sink is closed. */
struct sight {
	const struct triggers *triggers;
	uint64_t from;  /* only what ended, or began to hang, at this time or later */
	uint64_t until; /* the time at the end of the window */
	struct watch *
		watch; /* lent; knows the paths that calls in flight were given; NULL: nobody does */
	const struct sight_told *told;
	uint32_t asked; /* how often the watch was asked */
	struct watch_task task;
	/* Results: the first one. */
	const struct trigger *trigger; /* NULL: there is none */
	uint64_t time;
	struct sight_told hangs; /* all that hang by then */
	char text
		[512]; /* "read of /data/x by dd (process 17) took 1.204 s"; its bytes are those of any name */
};

/* Adds a hang that has an archive from now on. */
void sight_tell(struct sight_told *told, uint64_t begin, uint32_t pid);

extern const struct sink_ops sight_ops;
