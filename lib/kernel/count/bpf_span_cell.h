/*
 * bpf_span_cell: how the programs that count spans add up. The buckets are those of <iotrace/histogram.h>.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
#endif

enum {
	BPF_SPAN_SUB_BITS = 6,
	BPF_SPAN_SUB = 1 << BPF_SPAN_SUB_BITS,
	BPF_SPAN_BUCKETS = 16, /* buckets of a cell */
	/* Parts of a histogram. */
	BPF_SPAN_CELLS = (64 - BPF_SPAN_SUB_BITS + 1) * BPF_SPAN_SUB / BPF_SPAN_BUCKETS,
};

/* Sums of the spans of one group that ended on one CPU within a range of durations: a part of a histogram. */
struct bpf_span_cell {
	uint64_t group;
	uint64_t number; /* number of the part */
	uint64_t sum, above_min,
		max;         /* above_min is UINT64_MAX - min, so that its initial value is 0 */
	uint64_t squares[2]; /* sum of squares, 128 bits, the low half first */
	uint64_t bytes;
	uint64_t bucket[BPF_SPAN_BUCKETS];
};

struct bpf_span_cell_key {
	uint64_t group;
	uint32_t number, cpu;
};

/* Indices of flights and cells that one CPU has used; 0: none. */
enum { BPF_SPAN_RECENT = 256 };

struct bpf_span_recent {
	uint32_t flight[BPF_SPAN_RECENT], cell[BPF_SPAN_RECENT];
};

/* Counters of one CPU. They need a little more than one cache line. */
struct bpf_span_books {
	uint64_t begun, ended, cancelled, begun_again, left;
	uint64_t ends_without_begin, excluded;
	uint64_t below;      /* spans that ended, but were not longer than `above` */
	uint64_t full;       /* begins for which there was no space */
	uint64_t ungrouped;  /* spans that ended, but had no space for their group */
	uint64_t died;       /* begins whose process a signal killed; left: it ended by itself */
	uint64_t foreign;    /* calls of 32-bit programs, if calls count as they are recorded */
	uint64_t unreported; /* asynchronous requests whose end nobody reported */
	uint64_t pad[3];
};

static inline uint32_t bpf_span_octave(uint64_t value)
{
	uint32_t octave = 0;

	for (uint32_t step = 32; step; step >>= 1) {
		if (value >> step) {
			value >>= step;
			octave += step;
		}
	}
	return octave;
}

/* Returns the bucket of a value: see histogram.c. */
static inline uint32_t bpf_span_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < BPF_SPAN_SUB)
		return value;
	shift = bpf_span_octave(value) - BPF_SPAN_SUB_BITS;
	return ((shift + 1) << BPF_SPAN_SUB_BITS) + (uint32_t)(value >> shift) - BPF_SPAN_SUB;
}

static inline void bpf_span_add_square(uint64_t *squares, uint64_t value)
{
	uint64_t high = value >> 32, low = value & 0xffffffff, cross = high * low;
	uint64_t square = value * value;

	/* The value is high * 2^32 + low, so its square contains high * high, and cross twice. */
	squares[0] += square;
	squares[1] += squares[0] < square;
	if (high)
		squares[1] += high * high + (cross >> 31) + (low * low + (cross << 33) < low * low);
}

/* Squares are for the deviation, which takes some ns that not everybody needs. */
static inline void bpf_span_add(struct bpf_span_cell *cell, uint32_t bucket, uint64_t value,
				uint64_t bytes, bool has_squares)
{
	cell->sum += value;
	cell->bytes += bytes;
	if (cell->above_min < ~value)
		cell->above_min = ~value;
	if (cell->max < value)
		cell->max = value;
	if (has_squares)
		bpf_span_add_square(cell->squares, value);
	cell->bucket[bucket % BPF_SPAN_BUCKETS]++;
}

/* Replaces the number at `most` if `value` is larger. A loop that never ends is nothing for BPF; each pass is one other writer. */
static inline void bpf_span_raise(uint64_t *most, uint64_t value)
{
	for (int i = 0; i < 32; i++) {
		uint64_t old = *(volatile uint64_t *)most;

		if (old >= value || __sync_val_compare_and_swap(most, old, value) == old)
			return;
	}
}

/* The same for a cell that others may write at the same time. */
static inline void bpf_span_add_shared(struct bpf_span_cell *cell, uint32_t bucket, uint64_t value,
				       uint64_t bytes)
{
	uint64_t square[2] = {0};

	bpf_span_add_square(square, value);
	__sync_fetch_and_add(&cell->sum, value);
	if (bytes)
		__sync_fetch_and_add(&cell->bytes, bytes);
	bpf_span_raise(&cell->max, value);
	/* The sum overflows if it is less than one of its parts. */
	if (__sync_fetch_and_add(&cell->squares[0], square[0]) > ~square[0])
		square[1]++;
	if (square[1])
		__sync_fetch_and_add(&cell->squares[1], square[1]);
	__sync_fetch_and_add(&cell->bucket[bucket % BPF_SPAN_BUCKETS], 1);
	bpf_span_raise(&cell->above_min, ~value);
}
