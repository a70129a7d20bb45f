/* disk_limit: --limit: how much room a recording takes on disk, with all that is being made. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct each;
struct record_places;

struct disk_limit {
	uint64_t bytes;   /* the most; 0: no limit */
	uint64_t next_ns; /* when to look again */
	uint64_t before;  /* what the last look has found */
	bool is_reached;
};

/*
 * Looks, a few times a second at most. Returns whether there is a limit and it is reached, or would be before the recording can end;
 * from the first time on. each: archives beside those of the places, or NULL.
 */
bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each);
