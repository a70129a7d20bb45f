/* disk_limit: --limit: the disk space of a recording and all its outputs. */
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
 * Checks, at most a few times a second. Returns whether the limit is reached, or would be before the recording can end. Once
 * true, it stays true. each: further archives, or NULL.
 */
bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each);
