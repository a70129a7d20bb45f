/*
 * disk_limit: --limit: how much room a recording takes on disk, with all that is being made.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct record_places;

struct disk_limit {
	uint64_t bytes;   /* the most; 0: no limit */
	uint64_t next_ns; /* when to look again */
	bool is_reached;
};

/* Looks, a few times a second at most. Returns whether there is a limit and it is reached, from the first time on. */
bool disk_limit_look(struct disk_limit *limit, const struct record_places *places);
