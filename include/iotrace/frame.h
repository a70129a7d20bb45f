/*
 * frame: what the spans of one view did in one interval. A collection beside <iotrace/latency.h> and <iotrace/leaks.h>.
 *
 *   view   what the rows are: <iotrace/view.h>
 *   row    the spans of one group: how many have ended, what they moved, how long they took, and which are in flight
 *   frame  the rows of one interval, and their total
 *
 * Spans arrive in the order of time, or as numbers that the kernel has counted. A group keeps its row, so a frame also has rows of
 * groups that do nothing. Each group needs about 0.7 KB, and half a kilobyte for each power of two of its latencies.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/span_engine.h>

/* Numbers of the spans that have ended. */
struct frame_count {
	uint64_t ops, read, written, errors; /* read, written: bytes */
};

struct frame_row {
	uint64_t group; /* span_engine_group() */
	bool is_rest; /* all groups for which the kernel's tables had no space; `group` is not used */
	str_id comm; /* name of the thread of the latest span; see span_engine_comm() */
	struct frame_count now, total; /* in the interval; since the begin */
	uint64_t busy;      /* ns of the interval in which at least one span was in flight */
	uint32_t in_flight; /* at the end of the interval */
	uint64_t oldest;    /* time when the oldest of these began; 0: none */
	bool is_kept;       /* tables show it even if it does nothing */
	bool is_hung;       /* one of these has been in flight for longer than the limit */
	struct histogram
		histogram; /* spans that ended in the interval; count, sum and max are exact */
};

struct frame {
	uint64_t from, to;
	const struct frame_row *const *row; /* the busiest first */
	uint32_t rows;
	const struct frame_row *total;
	const struct span_seen
		*hang; /* spans in flight for longer than the limit, the oldest first */
	uint32_t hangs;
};

struct frames;

enum { FRAME_BUCKETS = 16 }; /* of a frame_part */

/* hang: a span in flight for longer than this many ns hangs; 0: none does. start: time when the first interval begins. */
struct frames *frames_new(uint64_t hang);
void frames_free(struct frames *frames);
void frames_start(struct frames *frames, uint64_t start);
/* For struct span_output; the context is the struct frames. */
void frames_begun(void *frames, const struct span_seen *begun);
void frames_left(void *frames, const struct span_seen *left);
void frames_moved(void *frames, const struct span_moved *moved);
void frames_seen(void *frames, const struct span_seen *seen);
/*
 * At the end of an interval, call frames_cut(), frames_open() with each open span (span_engine_look() does that), frames_get()
 * and frames_next().
 */
void frames_cut(struct frames *frames, uint64_t to);
void frames_open(void *frames, const struct span_seen *open);
/*
 * If the kernel counts, frames_begun(), frames_left() and frames_seen() are not called. Instead, frames_count_part() and
 * frames_count_flight() are called before frames_cut(), with what was counted since the begin of the recording.
 */
struct frame_part {
	uint64_t group;
	bool is_rest;  /* groups for which there was no space */
	uint32_t cell; /* index of the kernel's counters, which does not change */
	struct histogram_part
		histogram; /* has FRAME_BUCKETS buckets; max: since the begin of the recording */
};

struct frame_flight {
	uint64_t group;
	bool is_rest, is_total;
	uint64_t busy, read, written, errors;
};

void frames_count_part(struct frames *frames, const struct frame_part *part);
void frames_count_flight(struct frames *frames, const struct frame_flight *flight);
/*
 * The group is a process or thread, and at `time` another one got its number: the total begins again. What the other one did in the same
 * interval may count for the new one.
 */
void frames_renew(struct frames *frames, uint64_t group, uint64_t time);
/* Lent until frames_next(). */
const struct frame *frames_get(struct frames *frames);
void frames_next(struct frames *frames);

static inline double frame_seconds(const struct frame *frame)
{
	return frame->to > frame->from ? (double)(frame->to - frame->from) / 1e9 : 0;
}
