/*
 * frame: what the spans of one view did in one interval. A collection beside <iotrace/latency.h> and <iotrace/leaks.h>.
 *
 *   view   what the rows are: <iotrace/view.h>
 *   row    the spans of one group: how many ended, what they moved, how long they took, and what is in flight
 *   frame  the rows of one interval, and their total
 *
 * Spans come in the order of time, or as numbers that the kernel counted. A row stays once its group was seen, so a frame
 * has rows of groups that do nothing. Memory grows with the groups, about 0.7 KB for each and half a kilobyte for each power
 * of two of its latencies.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/span_engine.h>

/* Of spans that ended. */
struct frame_count {
	uint64_t ops, read, written, errors; /* read, written: bytes */
};

struct frame_row {
	uint64_t group; /* span_engine_group() */
	bool is_rest; /* groups that found no room where they were counted; `group` says nothing */
	str_id comm;  /* name of the thread that began the latest; see span_engine_comm() */
	struct frame_count now, total; /* in the interval; since the begin */
	uint64_t busy;                 /* ns of the interval in which at least one was in flight */
	uint32_t in_flight;            /* at its end */
	uint64_t oldest;               /* when the oldest of these began; 0: there are none */
	bool is_hung;                  /* it has been in flight for longer than the limit */
	struct histogram
		histogram; /* of those that ended in the interval; its count, sum and max are exact */
};

struct frame {
	uint64_t from, to;
	const struct frame_row *const *row; /* the busiest first */
	uint32_t rows;
	const struct frame_row *total;
	const struct span_seen
		*hang; /* what has been in flight for longer than the limit, the oldest first */
	uint32_t hangs;
};

struct frames;

enum { FRAME_BUCKETS = 16 }; /* of a frame_part */

/* hang: what is in flight for longer is a hang, ns; 0: nothing is. start: of the first interval. */
struct frames *frames_new(uint64_t hang);
void frames_free(struct frames *frames);
void frames_start(struct frames *frames, uint64_t start);
/* For struct span_output; the context is the struct frames. */
void frames_begun(void *frames, const struct span_seen *begun);
void frames_left(void *frames, const struct span_seen *left);
void frames_seen(void *frames, const struct span_seen *seen);
/*
 * The end of an interval: frames_cut(), then frames_open() with each span that is open, as span_engine_look() calls it, then
 * frames_get(), and frames_next().
 */
void frames_cut(struct frames *frames, uint64_t to);
void frames_open(void *frames, const struct span_seen *open);
/*
 * Where the kernel counts, none of frames_begun(), frames_left() and frames_seen() is called, but before frames_cut() these two are,
 * with what was counted since the begin.
 */
struct frame_part {
	uint64_t group;
	bool is_rest;                    /* of groups that found no room */
	uint32_t cell;                   /* where it is counted: it stays there */
	struct histogram_part histogram; /* FRAME_BUCKETS; its max is that since the begin */
};

struct frame_flight {
	uint64_t group;
	bool is_rest, is_total;
	uint64_t busy, read, written, errors;
};

void frames_count_part(struct frames *frames, const struct frame_part *part);
void frames_count_flight(struct frames *frames, const struct frame_flight *flight);
/* Lent until frames_next(). */
const struct frame *frames_get(struct frames *frames);
void frames_next(struct frames *frames);

static inline double frame_seconds(const struct frame *frame)
{
	return frame->to > frame->from ? (double)(frame->to - frame->from) / 1e9 : 0;
}
