/*
 * histogram: the distribution of durations, in constant memory.
 *
 * Buckets are linear within a power of two (64 for each), so a value is known to 1/64 of itself over the whole range of 64 bits,
 * and values below 64 exactly. Count, sum and extremes are exact. The buckets of a power of two are allocated when the first
 * value falls into them: half a kilobyte each; most distributions need few of them.
 */
#pragma once

#include <stdint.h>

enum {
	HISTOGRAM_SUB_BITS = 6,
	HISTOGRAM_SUB = 1 << HISTOGRAM_SUB_BITS,
	HISTOGRAM_ROWS = 64 - HISTOGRAM_SUB_BITS + 1,
	HISTOGRAM_BUCKETS = HISTOGRAM_ROWS * HISTOGRAM_SUB,
};

struct histogram {
	uint64_t count, sum, min, max;
	uint64_t *row[HISTOGRAM_ROWS]; /* of HISTOGRAM_SUB buckets each; NULL: all are 0 */
};

void histogram_init(struct histogram *histogram);
void histogram_release(struct histogram *histogram);
void histogram_add(struct histogram *histogram, uint64_t value);
/*
 * Adds `buckets` buckets that were counted elsewhere, from bucket `first` on, all of one power of two. min, max, sum: those of
 * these values; min is UINT64_MAX if there are none.
 */
struct histogram_part {
	uint32_t first, buckets;
	const uint64_t *bucket;
	uint64_t sum, min, max;
};

void histogram_add_part(struct histogram *histogram, const struct histogram_part *part);
/* Adds all values of the other histogram. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);
/*
 * Returns the value that `permille` of 1000 values do not exceed (500: the median). It differs from the exact one by at most
 * 1/128 of itself, and is between the extremes; 0 if the histogram is empty.
 */
uint64_t histogram_quantile(const struct histogram *histogram, uint32_t permille);
/* Returns the number of values in a bucket. */
static inline uint64_t histogram_bucket(const struct histogram *histogram, uint32_t bucket)
{
	const uint64_t *row = histogram->row[bucket >> HISTOGRAM_SUB_BITS];

	return row ? row[bucket & (HISTOGRAM_SUB - 1)] : 0;
}

/* Returns the smallest and the largest value of a bucket. */
uint64_t histogram_from(uint32_t bucket);
uint64_t histogram_to(uint32_t bucket);
