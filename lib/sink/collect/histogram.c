/*
 * histogram: log-linear buckets. Bucket b of row r (r > 0) holds values [(64 + b) << (r - 1), (64 + b + 1) << (r - 1));
 * row 0 holds 0..63 themselves.
 */
#include "histogram.h"

#include <string.h>

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < HISTOGRAM_SUB)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return ((shift + 1) << HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift) - HISTOGRAM_SUB;
}

/* Returns the value in the middle of a bucket. */
static uint64_t bucket_middle(uint32_t bucket)
{
	uint32_t row = bucket >> HISTOGRAM_SUB_BITS;
	uint64_t low = bucket & (HISTOGRAM_SUB - 1);

	if (!row)
		return low;
	low = (low + HISTOGRAM_SUB) << (row - 1);
	return low + (((uint64_t)1 << (row - 1)) - 1) / 2;
}

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = UINT64_MAX;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->sum += value;
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->bucket[bucket_of(value)]++;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	if (!other->count)
		return;
	histogram->count += other->count;
	histogram->sum += other->sum;
	histogram->min = other->min < histogram->min ? other->min : histogram->min;
	histogram->max = other->max > histogram->max ? other->max : histogram->max;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram->bucket[i] += other->bucket[i];
}

/* Returns the rank, from 1, of the value asked for; without overflow for any count. */
static uint64_t rank_of(uint64_t count, uint32_t permille)
{
	uint64_t rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;

	if (rank < 1)
		rank = 1;
	return rank > count ? count : rank;
}

uint64_t histogram_quantile(const struct histogram *histogram, uint32_t permille)
{
	uint64_t seen = 0, rank, value;

	if (!histogram->count)
		return 0;
	rank = rank_of(histogram->count, permille);
	if (rank == histogram->count)
		return histogram->max;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->bucket[i];
		if (seen < rank)
			continue;
		value = bucket_middle(i);
		if (value < histogram->min)
			return histogram->min;
		return value > histogram->max ? histogram->max : value;
	}
	return histogram->max;
}
