/*
 * histogram: log-linear buckets. Bucket b of row r (r > 0) holds values [(64 + b) << (r - 1), (64 + b + 1) << (r - 1)). Row 0
 * holds one value from 0 to 63 in each bucket.
 */
#include <iotrace/histogram.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < HISTOGRAM_SUB)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return ((shift + 1) << HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift) - HISTOGRAM_SUB;
}

uint64_t histogram_from(uint32_t bucket)
{
	uint32_t row = bucket >> HISTOGRAM_SUB_BITS;
	uint64_t low = bucket & (HISTOGRAM_SUB - 1);

	return row ? (low + HISTOGRAM_SUB) << (row - 1) : low;
}

uint64_t histogram_to(uint32_t bucket)
{
	uint32_t row = bucket >> HISTOGRAM_SUB_BITS;

	return histogram_from(bucket) + (row ? ((uint64_t)1 << (row - 1)) - 1 : 0);
}

/* Returns the value in the middle of a bucket. */
static uint64_t bucket_middle(uint32_t bucket)
{
	return histogram_from(bucket) + (histogram_to(bucket) - histogram_from(bucket)) / 2;
}

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = UINT64_MAX;
}

void histogram_release(struct histogram *histogram)
{
	for (uint32_t i = 0; i < HISTOGRAM_ROWS; i++)
		free(histogram->row[i]);
	memset(histogram->row, 0, sizeof(histogram->row));
}

static uint64_t *row_of(struct histogram *histogram, uint32_t row)
{
	if (!histogram->row[row])
		histogram->row[row] = mem_array(HISTOGRAM_SUB, sizeof(**histogram->row));
	return histogram->row[row];
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	uint32_t bucket = bucket_of(value);

	histogram->count++;
	histogram->sum += value;
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	row_of(histogram, bucket >> HISTOGRAM_SUB_BITS)[bucket & (HISTOGRAM_SUB - 1)]++;
}

void histogram_add_part(struct histogram *histogram, const struct histogram_part *part)
{
	uint64_t *row = row_of(histogram, part->first >> HISTOGRAM_SUB_BITS);

	for (uint32_t i = 0; i < part->buckets; i++) {
		row[(part->first + i) & (HISTOGRAM_SUB - 1)] += part->bucket[i];
		histogram->count += part->bucket[i];
	}
	histogram->sum += part->sum;
	histogram->min = part->min < histogram->min ? part->min : histogram->min;
	histogram->max = part->max > histogram->max ? part->max : histogram->max;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	if (!other->count)
		return;
	histogram->count += other->count;
	histogram->sum += other->sum;
	histogram->min = other->min < histogram->min ? other->min : histogram->min;
	histogram->max = other->max > histogram->max ? other->max : histogram->max;
	for (uint32_t i = 0; i < HISTOGRAM_ROWS; i++)
		for (uint32_t k = 0; other->row[i] && k < HISTOGRAM_SUB; k++)
			row_of(histogram, i)[k] += other->row[i][k];
}

/* Returns the rank (from 1) of the quantile, without overflow for any count. */
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
		seen += histogram_bucket(histogram, i);
		if (seen < rank)
			continue;
		value = bucket_middle(i);
		if (value < histogram->min)
			return histogram->min;
		return value > histogram->max ? histogram->max : value;
	}
	return histogram->max;
}
