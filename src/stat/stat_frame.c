/*
 * stat_frame: see stat_frame.h.
 *
 * Names in the file are of fixed size and may have any bytes; outputs escape them. The group of a row is its number.
 */
#include "stat_frame.h"

#include <iotrace/mem.h>
#include <iotrace/mount_names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_OF = 200 };

static const char *const prefix[PUBLICATION_VIEWS] = {
	[PUBLICATION_DEVICE] = "device ", [PUBLICATION_FS] = "fs ", [PUBLICATION_FUSE] = "fuse "};

static void clear(struct stat_frame *frame, const struct publication *of)
{
	uint32_t want = of->slot.rows + 1 + STAT_CONNECTIONS;

	for (uint32_t i = 0; i < frame->frame.rows; i++)
		histogram_release(&frame->rows[i].histogram);
	histogram_release(&frame->total.histogram);
	if (want > frame->capacity) {
		frame->capacity = want;
		frame->rows = mem_resize(frame->rows, want * sizeof(*frame->rows));
		frame->sorted = mem_resize(frame->sorted, want * sizeof(*frame->sorted));
		frame->name = mem_resize(frame->name, want * sizeof(*frame->name));
		frame->of_view = mem_resize(frame->of_view, want * sizeof(*frame->of_view));
	}
	frame->total = (struct frame_row){0};
	histogram_init(&frame->total.histogram);
	frame->frame = (struct frame){.from = of->slot.from,
				      .to = of->slot.monotonic,
				      .row = frame->sorted,
				      .total = &frame->total};
}

/* Adds durations of which only the bucket is known. sum, count and max are exact if the buckets are those of one row. */
static void add_buckets(struct histogram *histogram, const uint64_t *now, const uint64_t *before,
			uint64_t max)
{
	for (uint32_t i = 0; i < PUBLICATION_BUCKETS; i++) {
		uint64_t count = now[i] - (before ? before[i] : 0), middle;
		struct histogram fine;

		if (!count || (before && before[i] > now[i]))
			continue;
		middle = i + 1 < PUBLICATION_BUCKETS
				 ? (publication_bucket_from(i) + publication_bucket_from(i + 1)) / 2
				 : max;
		histogram_init(&fine);
		histogram_add(&fine, middle < max ? middle : max);
		for (uint32_t row = 0; row < HISTOGRAM_ROWS; row++)
			for (uint32_t k = 0; fine.row[row] && k < HISTOGRAM_SUB; k++)
				fine.row[row][k] *= count;
		fine.count = count;
		fine.sum = 0;
		histogram_merge(histogram, &fine);
		histogram_release(&fine);
	}
}

static struct frame_row *add_row(struct stat_frame *frame, uint32_t view, const char *name)
{
	uint32_t index = frame->frame.rows++;
	struct frame_row *row = &frame->rows[index];

	*row = (struct frame_row){.group = index};
	histogram_init(&row->histogram);
	frame->name[index] = name;
	frame->of_view[index] = view;
	return row;
}

static void add_total(struct stat_frame *frame, const struct frame_row *row)
{
	struct frame_row *total = &frame->total;

	total->now.ops += row->now.ops;
	total->now.read += row->now.read;
	total->now.written += row->now.written;
	total->now.errors += row->now.errors;
	total->total.ops += row->total.ops;
	total->total.read += row->total.read;
	total->total.written += row->total.written;
	total->total.errors += row->total.errors;
	total->in_flight += row->in_flight;
	total->is_hung |= row->is_hung;
	if (row->busy > total->busy)
		total->busy = row->busy;
	if (row->oldest && (!total->oldest || row->oldest < total->oldest))
		total->oldest = row->oldest;
	histogram_merge(&total->histogram, &row->histogram);
}

static bool is_shown(const struct stat_frame *frame, uint32_t view)
{
	return view < PUBLICATION_VIEWS &&
	       (frame->view == PUBLICATION_VIEWS || frame->view == view);
}

/* By layer, then as other frames: hangs first, then by the time that operations took. */
static int by_use(const void *a, const void *b, void *context)
{
	const struct frame_row *x = *(const struct frame_row *const *)a;
	const struct frame_row *y = *(const struct frame_row *const *)b;
	const struct stat_frame *frame = context;

	if (frame->of_view[x->group] != frame->of_view[y->group])
		return frame->of_view[x->group] < frame->of_view[y->group] ? -1 : 1;
	if (x->is_hung != y->is_hung)
		return x->is_hung ? -1 : 1;
	if (x->histogram.sum != y->histogram.sum)
		return x->histogram.sum > y->histogram.sum ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static void complete(struct stat_frame *frame)
{
	for (uint32_t i = 0; i < frame->frame.rows; i++) {
		frame->sorted[i] = &frame->rows[i];
		add_total(frame, &frame->rows[i]);
	}
	qsort_r(frame->sorted, frame->frame.rows, sizeof(*frame->sorted), by_use, frame);
}

/* The longest of the daemon's last interval may be shorter than the longest between two readings. */
static uint64_t longest_of(const struct publication_row *row, const struct publication_row *last)
{
	for (uint32_t i = PUBLICATION_BUCKETS; i-- > 0;)
		if (row->bucket[i] > last->bucket[i])
			return publication_bucket_from(i) > row->max ? publication_bucket_from(i)
								     : row->max;
	return row->max;
}

/* Rows keep their order, so the first place to look is the same index. */
static const struct publication_row *find(const struct publication *in, uint32_t id, uint32_t hint)
{
	for (uint32_t i = 0; in && i < in->slot.rows; i++) {
		const struct publication_row *row = publication_row(in, (i + hint) % in->slot.rows);

		if (row->id == id)
			return row;
	}
	return NULL;
}

/* Names and numbers of a file are not believed. */
static bool is_sound(const struct publication_row *row)
{
	return row->kind == PUBLICATION_ALL && memchr(row->name, '\0', sizeof(row->name));
}

static bool is_connection(const struct stat_frame *frame, uint32_t device)
{
	for (uint32_t i = 0; i < frame->connections; i++)
		if (frame->connection[i] == device)
			return true;
	return false;
}

static void take_row(struct stat_frame *frame, const struct publication_row *row,
		     const struct publication_row *before)
{
	static const struct publication_row none;
	const struct publication_row *last = before ? before : &none;
	struct frame_row *to = add_row(frame, row->view, row->name);

	to->total = (struct frame_count){row->ops, row->read, row->written, row->errors};
	to->now = (struct frame_count){row->ops - last->ops, row->read - last->read,
				       row->written - last->written, row->errors - last->errors};
	to->busy = row->busy - last->busy;
	to->in_flight = row->in_flight;
	to->oldest = row->oldest;
	to->is_hung = row->is_hung;
	to->is_kept = row->view == PUBLICATION_FUSE && is_connection(frame, row->owner);
	add_buckets(&to->histogram, row->bucket, last->bucket, longest_of(row, last));
	to->histogram.sum = row->sum - last->sum;
}

static bool has_connection(const struct publication *in, uint32_t device)
{
	for (uint32_t i = 0; i < in->slot.rows; i++) {
		const struct publication_row *row = publication_row(in, i);

		if (row->view == PUBLICATION_FUSE && row->owner == device && is_sound(row))
			return true;
	}
	return false;
}

static void look_for_connections(struct stat_frame *frame)
{
	frame->connections = 0;
	if (!frame->mounts || !is_shown(frame, PUBLICATION_FUSE))
		return;
	mount_names_look(frame->mounts);
	frame->connections = mount_names_connections(frame->mounts, frame->connection,
						     STAT_CONNECTIONS);
}

static void add_connections(struct stat_frame *frame, const struct publication *after)
{
	for (uint32_t i = 0; i < frame->connections; i++) {
		if (has_connection(after, frame->connection[i]))
			continue;
		stat_name_file_system(frame->mounts, frame->connection[i],
				      frame->connection_name[i], sizeof(frame->connection_name[i]));
		add_row(frame, PUBLICATION_FUSE, frame->connection_name[i])->is_kept = true;
	}
}

uint64_t stat_frame_uncounted(const struct publication *before, const struct publication *after)
{
	return after->head.uncounted > before->head.uncounted
		       ? after->head.uncounted - before->head.uncounted
		       : 0;
}

void stat_frame_between(struct stat_frame *frame, const struct publication *before,
			const struct publication *after)
{
	clear(frame, after);
	look_for_connections(frame);
	if (before)
		frame->frame.from = before->slot.monotonic + stat_frame_uncounted(before, after);
	if (frame->frame.from > after->slot.monotonic)
		frame->frame.from = after->slot.from;
	for (uint32_t i = 0; i < after->slot.rows; i++) {
		const struct publication_row *row = publication_row(after, i);

		if (is_sound(row) && is_shown(frame, row->view))
			take_row(frame, row, find(before, row->id, i));
	}
	add_connections(frame, after);
	complete(frame);
}

/* Percentiles are in the file; a histogram of three values gives them back. */
static void add_percentiles(struct histogram *histogram, const struct history_row *row)
{
	uint64_t bucket[PUBLICATION_BUCKETS] = {0};
	uint64_t longest = row->ops / LONGEST_OF + (row->ops < LONGEST_OF);
	uint64_t usual = row->ops - longest - (row->ops - longest) / 3;

	bucket[publication_bucket(row->p50)] += usual;
	bucket[publication_bucket(row->p99)] += row->ops - longest - usual;
	bucket[publication_bucket(row->max)] += longest;
	add_buckets(histogram, bucket, NULL, row->max);
	histogram->sum = row->sum;
}

static void take_step(struct stat_frame *frame, const struct history_row *row)
{
	struct frame_row *to = add_row(frame, row->view, row->name);

	to->now = to->total = (struct frame_count){row->ops, row->read, row->written, row->errors};
	to->busy = row->busy;
	to->in_flight = row->in_flight;
	to->is_hung = row->is_hung;
	if (row->ops)
		add_percentiles(&to->histogram, row);
}

void stat_frame_of_step(struct stat_frame *frame, const struct publication *step)
{
	clear(frame, step);
	for (uint32_t i = 0; i < step->slot.rows; i++) {
		const struct history_row *row = publication_row(step, i);

		if (memchr(row->name, '\0', sizeof(row->name)) && is_shown(frame, row->view))
			take_step(frame, row);
	}
	complete(frame);
}

size_t stat_frame_name(const void *context, const struct frame_row *row, char *text, size_t size)
{
	const struct stat_frame *frame = context;
	const char *before = frame->view == PUBLICATION_VIEWS ? prefix[frame->of_view[row->group]]
							      : "";
	int length = snprintf(text, size, "%s%s", before, frame->name[row->group]);

	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

void stat_frame_release(struct stat_frame *frame)
{
	for (uint32_t i = 0; i < frame->frame.rows; i++)
		histogram_release(&frame->rows[i].histogram);
	histogram_release(&frame->total.histogram);
	free(frame->rows);
	free(frame->sorted);
	free(frame->name);
	free(frame->of_view);
}
