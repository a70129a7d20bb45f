/*
 * histogram: how long things took, in a fixed 30 KB whatever their number.
 *
 * Buckets are linear within a power of two (64 to each), so a value is known to 1/64 of itself over the
 * whole range of 64 bits; values below 64 exactly. Count, sum and the extremes are exact.
 */
#pragma once

#include <stdint.h>

enum {
	HISTOGRAM_SUB_BITS = 6,
	HISTOGRAM_SUB = 1 << HISTOGRAM_SUB_BITS,
	HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB,
};

struct histogram {
	uint64_t count, sum, min, max;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);
void histogram_add(struct histogram *histogram, uint64_t value);
/* All values of the other are added. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);
/*
 * Returns the value that `permille` of 1000 values do not exceed (500: the median), at most 1/128 of itself
 * away from the exact one and never outside of what was added; 0 if nothing was.
 */
uint64_t histogram_quantile(const struct histogram *histogram, uint32_t permille);
