/*
 * sample_offsets: the positions of time, CPU and id in a record, so that it need not be parsed.
 *
 * All three are at a fixed distance: from the start of a sample, from the end of any other record. So two loads are enough to
 * queue a record. The distance 0 means that the layout lacks the field.
 */
#pragma once

#include "sample_bits.h"

#include <iotrace/sample.h>

struct field_offsets {
	uint16_t time;
	uint16_t cpu;
	uint16_t id;
	uint16_t min_size; /* no record of this layout is smaller */
};

struct sample_offsets {
	struct field_offsets sample;  /* distances from the start of a sample */
	struct field_offsets trailer; /* distances from the end of any other record */
};

/* perf writes the time 0 into its own records, and all bits set also means unknown. */
static inline bool sample_time_is_known(uint64_t time)
{
	return time != 0 && time != UINT64_MAX;
}

void sample_offsets_init(struct sample_offsets *offsets, const struct sample_layout *layout);

/* Returns the position of a field, or NULL if the layout lacks it. The record has at least fields->min_size bytes. */
static inline const uint8_t *sample_field(const uint8_t *record, uint32_t size, bool is_sample,
					  uint16_t distance)
{
	if (!distance)
		return NULL;
	return is_sample ? record + distance : record + size - distance;
}
