/*
 * frame_counted: frames of what the kernel counted: the difference to the last time.
 *
 * The kernel goes on counting while the numbers are read. So a frame may lack part of the latest span, which is in the next frame.
 */
#include "frames.h"

#include <iotrace/mem.h>

static struct cell *cell_of(struct frames *frames, uint32_t index)
{
	MEM_GROW(frames->cell, frames->cells_cap, index + 1);
	return &frames->cell[index];
}

/* The largest of this interval is exact only if it is the largest of all; otherwise its bucket is known. */
static void set_extremes(struct histogram_part *part, const struct histogram_part *now,
			 const struct cell *before)
{
	part->min = UINT64_MAX;
	for (uint32_t i = 0; i < part->buckets; i++) {
		if (!part->bucket[i])
			continue;
		if (part->min == UINT64_MAX)
			part->min = histogram_from(part->first + i);
		part->max = histogram_to(part->first + i);
	}
	if (now->max > before->max || part->max > now->max)
		part->max = now->max;
	if (part->min < now->min)
		part->min = now->min;
}

static void add(struct group *group, const struct histogram_part *part, uint64_t ops)
{
	const struct frame_count ended = {.ops = ops};

	histogram_add_part(&group->row.histogram, part);
	frame_count_add(&group->row.now, &ended);
	frame_count_add(&group->row.total, &ended);
}

void frames_count_part(struct frames *frames, const struct frame_part *part)
{
	struct cell *cell = cell_of(frames, part->cell);
	uint64_t bucket[FRAME_BUCKETS], ops = 0;
	struct histogram_part since = {.first = part->histogram.first,
				       .buckets = FRAME_BUCKETS,
				       .bucket = bucket,
				       .sum = part->histogram.sum - cell->sum};

	for (uint32_t i = 0; i < FRAME_BUCKETS; i++) {
		uint64_t now = part->histogram.bucket[i]; /* another CPU may change it */

		bucket[i] = now - cell->bucket[i];
		cell->bucket[i] = now;
		ops += bucket[i];
	}
	if (!ops)
		return;
	set_extremes(&since, &part->histogram, cell);
	cell->sum += since.sum;
	cell->max = part->histogram.max;
	add(part->is_rest ? frames_rest(frames) : frames_group(frames, part->group), &since, ops);
	add(&frames->total, &since, ops);
}

void frames_count_flight(struct frames *frames, const struct frame_flight *flight)
{
	struct group *group = flight->is_total  ? &frames->total
			      : flight->is_rest ? frames_rest(frames)
						: frames_group(frames, flight->group);
	const struct frame_count since = {.read = flight->read - group->counted.read,
					  .written = flight->written - group->counted.written,
					  .errors = flight->errors - group->counted.errors};

	if (flight->busy > group->counted_busy) {
		group->row.busy += flight->busy - group->counted_busy;
		group->counted_busy = flight->busy;
	}
	if (flight->is_total)
		return;
	group->counted.read = flight->read;
	group->counted.written = flight->written;
	group->counted.errors = flight->errors;
	frame_count_add(&group->row.now, &since);
	frame_count_add(&group->row.total, &since);
	frame_count_add(&frames->total.row.now, &since);
	frame_count_add(&frames->total.row.total, &since);
}
