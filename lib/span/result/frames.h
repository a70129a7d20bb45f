/* frames: shared by the files of the collection of frames. */
#pragma once

#include <iotrace/frame.h>
#include <iotrace/map.h>

/* A row, and when it is busy. */
struct group {
	struct frame_row row;  /* first */
	uint32_t flying;       /* number of spans that have begun and not ended */
	uint64_t since;        /* flying: busy since then; otherwise: busy until then */
	uint64_t counted_busy; /* busy time that the kernel had counted at the last reading */
	struct frame_count counted;
	bool was_active;           /* in the interval before */
	uint64_t resumed;          /* end of the interval in which it began to do something again */
	struct frame_count before; /* its total before that */
};

/* The values of the kernel's counters at the last reading. */
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
	uint32_t cells_cap;
};

/* Return the row of a group, and that of all groups without space in the kernel. A new row is created. */
struct group *frames_group(struct frames *frames, uint64_t value);
struct group *frames_rest(struct frames *frames);
void frame_count_add(struct frame_count *to, const struct frame_count *more);
