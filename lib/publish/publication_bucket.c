/* publication_bucket: the buckets of published durations. */
#include <iotrace/publication.h>

enum { FIRST_OCTAVE = 10, SUB_BITS = 3, SUB = 1 << SUB_BITS };

static uint32_t octave_of(uint64_t value)
{
	return 63 - (uint32_t)__builtin_clzll(value);
}

uint32_t publication_bucket(uint64_t ns)
{
	uint32_t octave = ns ? octave_of(ns) : 0, bucket;

	if (octave < FIRST_OCTAVE)
		return 0;
	bucket = 1 + (octave - FIRST_OCTAVE) * SUB +
		 (uint32_t)(ns >> (octave - SUB_BITS) & (SUB - 1));
	return bucket < PUBLICATION_BUCKETS ? bucket : PUBLICATION_BUCKETS - 1;
}

uint64_t publication_bucket_from(uint32_t bucket)
{
	uint32_t octave = FIRST_OCTAVE + (bucket - 1) / SUB;

	return bucket ? (uint64_t)(SUB + (bucket - 1) % SUB) << (octave - SUB_BITS) : 0;
}

uint64_t publication_quantile(const uint64_t bucket[PUBLICATION_BUCKETS], uint32_t permille,
			      uint64_t max)
{
	uint64_t count = 0, below = 0, middle;
	uint32_t i = 0;

	for (uint32_t k = 0; k < PUBLICATION_BUCKETS; k++)
		count += bucket[k];
	if (!count)
		return 0;
	while (i < PUBLICATION_BUCKETS - 1 &&
	       (below += bucket[i]) * 1000 < count * (uint64_t)permille)
		i++;
	middle = i < PUBLICATION_BUCKETS - 1
			 ? (publication_bucket_from(i) + publication_bucket_from(i + 1)) / 2
			 : max;
	return middle < max ? middle : max;
}
