/* disk_limit: --limit: the disk space of a recording and all its outputs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct each;
struct record_places;

struct disk_limit {
	uint64_t bytes;             /* maximum; 0: no limit */
	uint64_t converted;         /* converted bytes of the spool; set before each check */
	uint64_t next_ns;           /* time of the next check */
	uint64_t looked_ns, before; /* time and result of the last check */
	bool is_reached;
};

/*
 * Returns whether the limit is reached by the archive and the spool, including what the rest of the spool will need in the
 * archive. Checks only when it is time. Once true, it stays true. each: further archives, or NULL.
 */
bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each);
