/* frames: what the parts of the collection of frames share. */
#pragma once

#include <iotrace/frame.h>
#include <iotrace/map.h>

/* A row, and when it is busy. */
struct group {
	struct frame_row row;  /* first */
	uint32_t flying;       /* have begun, and not ended */
	uint64_t since;        /* flying: is busy from here on; else: was busy until then */
	uint64_t counted_busy; /* in the kernel, until the last time that it was asked */
	struct frame_count counted;
};

/* What was in a cell of the kernel when it was read last. */
struct cell {
	uint64_t bucket[FRAME_BUCKETS];
	uint64_t sum, max;
};

struct frames {
	struct group **group, total;
	struct group *rest; /* one of `group`; NULL: all found room */
	uint32_t groups, groups_cap;
	struct map of; /* by group */
	const struct frame_row **sorted;
	struct frame frame;
	struct span_seen *hang;
	uint32_t hangs_cap;
	uint64_t limit;
	struct cell *cell;
	uint32_t cells, cells_cap;
};

/* Returns the row of a group, which is made if it is new; the same of those that found no room in the kernel. */
struct group *frames_group(struct frames *frames, uint64_t value);
struct group *frames_rest(struct frames *frames);
void frame_count_add(struct frame_count *to, const struct frame_count *more);
