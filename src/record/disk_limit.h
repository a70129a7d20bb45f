/* disk_limit: --limit: the disk space of a recording and all its outputs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct each;
struct record_places;

struct disk_limit {
	uint64_t bytes;             /* the most; 0: no limit */
	uint64_t converted;         /* bytes of the spool; set before each look */
	uint64_t next_ns;           /* when to look again */
	uint64_t looked_ns, before; /* when the last look was, and what it has found */
	bool is_reached;
};

/*
 * Returns whether the limit is reached by the archive and the spool, with what the rest of the spool will be in the archive. Looks
 * only when it is time to. Once true, it stays true. each: further archives, or NULL.
 */
bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each);
