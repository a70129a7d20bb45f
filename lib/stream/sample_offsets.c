/*
 * sample_offsets: computes the distances, once for each layout.
 *
 * The fields of a sample are not in the order of their bits (IDENTIFIER is first), so a table has their order. The trailer has
 * another order.
 */
#include "sample_offsets.h"

static const uint64_t head_order[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};

/* Backwards from the end of the record. */
static const uint64_t trailer_order[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU,  PERF_SAMPLE_STREAM_ID,
	PERF_SAMPLE_ID,         PERF_SAMPLE_TIME, PERF_SAMPLE_TID,
};

static void set_offset(struct field_offsets *fields, uint64_t field, uint16_t distance)
{
	if (field == PERF_SAMPLE_TIME)
		fields->time = distance;
	else if (field == PERF_SAMPLE_CPU)
		fields->cpu = distance;
	else if ((field == PERF_SAMPLE_ID || field == PERF_SAMPLE_IDENTIFIER) && !fields->id)
		fields->id = distance;
}

void sample_offsets_init(struct sample_offsets *offsets, const struct sample_layout *layout)
{
	uint64_t trailer = layout->sample_id_all ? layout->sample_type & SAMPLE_TRAILER : 0;
	uint16_t head_size = sizeof(struct perf_event_header);
	uint16_t trailer_size = 0;

	*offsets = (struct sample_offsets){0};
	for (size_t i = 0; i < sizeof(head_order) / sizeof(head_order[0]); i++) {
		if (!(layout->sample_type & head_order[i]))
			continue;
		set_offset(&offsets->sample, head_order[i], head_size);
		head_size += 8;
	}
	for (size_t i = 0; i < sizeof(trailer_order) / sizeof(trailer_order[0]); i++) {
		if (!(trailer & trailer_order[i]))
			continue;
		trailer_size += 8;
		set_offset(&offsets->trailer, trailer_order[i], trailer_size);
	}
	offsets->sample.min_size = head_size;
	offsets->trailer.min_size = (uint16_t)(sizeof(struct perf_event_header) + trailer_size);
}
