/*
 * window: which part of a stream a flight recorder keeps: what happened in the last `ns`, but at most `bytes` of records.
 *
 * The recorder says after each round how far it has read. What it had read at a time happened before that time. So a part of the
 * stream can be released when the time at which it had been read is older than the window.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WINDOW_MARKS = 256 };

struct window {
	uint64_t ns, bytes;
	/* Ends of rounds, in order: a ring. */
	struct window_mark {
		uint64_t end;  /* offset in the stream */
		uint64_t time; /* when everything before it had been read */
	} mark[WINDOW_MARKS];
	uint32_t first, marks;
	uint64_t end;      /* of the stream */
	uint64_t released; /* offset: what was before it is not kept */
	bool is_short;     /* the last release was for lack of space */
};

/* What must have been read before the window is converted. 0: not yet known. */
struct window_wait {
	uint64_t end;  /* offset in the stream */
	uint64_t last; /* time at which nobody waits any longer */
};

void window_init(struct window *window, uint64_t ns, uint64_t bytes);
/* The stream has been read up to `end`, which is the end of a round, at this time. */
void window_add(struct window *window, uint64_t end, uint64_t time);
/*
 * Returns the offset, the end of a round, up to which nothing is needed at this time. kept: the offset from which on the records are in
 * memory, which may be a round before what was released.
 */
uint64_t window_release(struct window *window, uint64_t now, uint64_t kept);
/*
 * Returns whether the stream has been read up to what `end` was at the first call with this `wait`, or whether ten seconds have
 * passed since then: a reader that is so far behind may never catch up.
 */
bool window_has_read(const struct window *window, struct window_wait *wait, uint64_t end,
		     uint64_t now);
