/* frame: see <iotrace/frame.h>. */
#include "frames.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

struct frames *frames_new(uint64_t hang)
{
	struct frames *frames = mem_zero(sizeof(*frames));

	frames->limit = hang;
	histogram_init(&frames->total.row.histogram);
	return frames;
}

void frames_free(struct frames *frames)
{
	if (!frames)
		return;
	for (uint32_t i = 0; i < frames->groups; i++) {
		histogram_release(&frames->group[i]->row.histogram);
		free(frames->group[i]);
	}
	histogram_release(&frames->total.row.histogram);
	map_release(&frames->of);
	free(frames->group);
	free(frames->sorted);
	free(frames->hang);
	free(frames->cell);
	free(frames);
}

void frames_start(struct frames *frames, uint64_t start)
{
	frames->frame.from = start;
}

static struct group *group_new(struct frames *frames, uint64_t value)
{
	struct group *group = mem_zero(sizeof(*group));

	MEM_GROW(frames->group, frames->groups_cap, frames->groups + 1);
	frames->group[frames->groups++] = group;
	group->row.group = value;
	histogram_init(&group->row.histogram);
	return group;
}

struct group *frames_group(struct frames *frames, uint64_t value)
{
	uint32_t index = map_get(&frames->of, value);

	if (index != MAP_NONE)
		return frames->group[index];
	map_set(&frames->of, value, frames->groups);
	return group_new(frames, value);
}

struct group *frames_rest(struct frames *frames)
{
	if (!frames->rest)
		frames->rest = group_new(frames, 0);
	frames->rest->row.is_rest = true;
	return frames->rest;
}

/* A span that became known late may have begun before `since`. */
static void begin(struct group *group, uint64_t time)
{
	if (!group->flying++ && time > group->since)
		group->since = time;
}

static void end(struct group *group, uint64_t time)
{
	if (!group->flying || --group->flying || time < group->since)
		return;
	group->row.busy += time - group->since;
	group->since = time;
}

void frames_begun(void *context, const struct span_seen *begun)
{
	struct frames *frames = context;
	struct group *group = frames_group(frames, begun->group);
	uint64_t time = begun->begin > frames->frame.from ? begun->begin : frames->frame.from;

	group->row.comm = begun->comm;
	begin(group, time);
	begin(&frames->total, time);
}

void frames_left(void *context, const struct span_seen *left)
{
	struct frames *frames = context;

	end(frames_group(frames, left->group), left->end);
	end(&frames->total, left->end);
}

void frame_count_add(struct frame_count *to, const struct frame_count *more)
{
	to->ops += more->ops;
	to->read += more->read;
	to->written += more->written;
	to->errors += more->errors;
}

static void add(struct frame_row *row, const struct span_seen *seen)
{
	const struct frame_count one = {1, seen->read, seen->written, seen->has_failed};

	frame_count_add(&row->now, &one);
	frame_count_add(&row->total, &one);
	histogram_add(&row->histogram, seen->end - seen->begin);
}

void frames_seen(void *context, const struct span_seen *seen)
{
	struct frames *frames = context;
	struct group *group = frames_group(frames, seen->group);

	if (seen->slot == UINT32_MAX)
		frames_begun(frames, seen);
	if (!seen->has_left)
		frames_left(frames, seen);
	if (seen->fate != SPAN_ENDED)
		return;
	add(&group->row, seen);
	add(&frames->total.row, seen);
}

void frames_moved(void *context, const struct span_moved *moved)
{
	struct frames *frames = context;
	struct group *group = frames_group(frames, moved->group);
	const struct frame_count more = {.read = moved->read, .written = moved->written};

	frame_count_add(&group->row.now, &more);
	frame_count_add(&group->row.total, &more);
	frame_count_add(&frames->total.row.now, &more);
	frame_count_add(&frames->total.row.total, &more);
}

/* Ends the busy time of the interval. A busy row stays busy in the next one. */
static void cut(struct group *group, uint64_t to)
{
	if (group->flying && to > group->since) {
		group->row.busy += to - group->since;
		group->since = to;
	}
}

/* The kernel's numbers of a group may be read a little later than those of all. Then what the group was busy since is added early. */
static void cover(struct group *total, const struct group *group)
{
	if (group->row.busy <= total->row.busy)
		return;
	total->counted_busy += group->row.busy - total->row.busy;
	total->row.busy = group->row.busy;
}

/* They may also be read later than the interval ends. Then the rest belongs to the next one. */
static void keep_rest(struct group *group, uint64_t interval)
{
	if (group->row.busy <= interval)
		return;
	group->counted_busy -= group->row.busy - interval;
	group->row.busy = interval;
}

void frames_cut(struct frames *frames, uint64_t to)
{
	struct frame *frame = &frames->frame;

	frame->to = to > frame->from ? to : frame->from;
	cut(&frames->total, frame->to);
	keep_rest(&frames->total, frame->to - frame->from);
	for (uint32_t i = 0; i < frames->groups; i++) {
		cut(frames->group[i], frame->to);
		keep_rest(frames->group[i], frame->to - frame->from);
		cover(&frames->total, frames->group[i]);
	}
}

static void fly(const struct frame *frame, struct frame_row *row, const struct span_seen *open,
		bool is_hung)
{
	row->in_flight++;
	if (open->is_unseen)
		row->busy = frame->to - frame->from;
	row->is_hung |= is_hung;
	if (!row->oldest || open->begin < row->oldest)
		row->oldest = open->begin;
}

void frames_open(void *context, const struct span_seen *open)
{
	struct frames *frames = context;
	struct frame *frame = &frames->frame;
	bool is_hung = frames->limit && frame->to > open->begin &&
		       frame->to - open->begin > frames->limit;

	if (open->begin > frame->to)
		return;
	fly(frame, &frames_group(frames, open->group)->row, open, is_hung);
	fly(frame, &frames->total.row, open, is_hung);
	if (!is_hung)
		return;
	MEM_GROW(frames->hang, frames->hangs_cap, frame->hangs + 1);
	frames->hang[frame->hangs++] = *open;
}

static int by_age(const void *a, const void *b)
{
	const struct span_seen *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* What asynchronous requests moved, where no operation ended: nobody knows the time that it took. */
static uint64_t only_moved(const struct frame_row *row)
{
	return row->histogram.count ? 0 : row->now.read + row->now.written;
}

/* Sorts hangs first, then rows that only moved bytes, then by the time that spans took, then by busy time. */
static int by_use(const void *a, const void *b)
{
	const struct frame_row *x = *(const struct frame_row *const *)a;
	const struct frame_row *y = *(const struct frame_row *const *)b;

	if (x->is_hung != y->is_hung)
		return x->is_hung ? -1 : 1;
	if (only_moved(x) != only_moved(y))
		return only_moved(x) > only_moved(y) ? -1 : 1;
	if (x->histogram.sum != y->histogram.sum)
		return x->histogram.sum > y->histogram.sum ? -1 : 1;
	if (x->busy != y->busy)
		return x->busy > y->busy ? -1 : 1;
	if (x->total.ops != y->total.ops)
		return x->total.ops > y->total.ops ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

const struct frame *frames_get(struct frames *frames)
{
	struct frame *frame = &frames->frame;

	free(frames->sorted);
	frames->sorted = mem_array(frames->groups + 1, sizeof(*frames->sorted));
	for (uint32_t i = 0; i < frames->groups; i++)
		frames->sorted[i] = &frames->group[i]->row;
	qsort(frames->sorted, frames->groups, sizeof(*frames->sorted), by_use);
	if (frame->hangs)
		qsort(frames->hang, frame->hangs, sizeof(*frames->hang), by_age);
	frame->row = frames->sorted;
	frame->rows = frames->groups;
	frame->total = &frames->total.row;
	frame->hang = frames->hang;
	return frame;
}

static bool is_active(const struct frame_row *row)
{
	return row->now.ops || row->now.read || row->now.written || row->now.errors ||
	       row->in_flight;
}

static void take_off(struct frame_count *from, const struct frame_count *less)
{
	from->ops -= less->ops;
	from->read -= less->read;
	from->written -= less->written;
	from->errors -= less->errors;
}

/* Numbers that the kernel has counted may come before the news of the one who did it. */
void frames_renew(struct frames *frames, uint64_t value, uint64_t time)
{
	uint32_t index = map_get(&frames->of, value);
	struct group *group = index == MAP_NONE ? NULL : frames->group[index];

	if (!group)
		return;
	if (group->resumed >= time)
		take_off(&group->row.total, &group->before);
	else
		group->row.total = (struct frame_count){0};
	group->before = (struct frame_count){0};
}

static void see_resumed(struct group *group, uint64_t end)
{
	bool is = is_active(&group->row);

	if (is && !group->was_active) {
		group->resumed = end;
		group->before = group->row.total;
		take_off(&group->before, &group->row.now);
	}
	group->was_active = is;
}

static void clear(struct frame_row *row)
{
	histogram_release(&row->histogram);
	histogram_init(&row->histogram);
	row->now = (struct frame_count){0};
	row->busy = row->oldest = 0;
	row->in_flight = 0;
	row->is_hung = false;
}

void frames_next(struct frames *frames)
{
	for (uint32_t i = 0; i < frames->groups; i++) {
		see_resumed(frames->group[i], frames->frame.to);
		clear(&frames->group[i]->row);
	}
	clear(&frames->total.row);
	frames->frame.hangs = 0;
	frames->frame.from = frames->frame.to;
}
