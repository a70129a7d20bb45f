/* stat_counted: see stat_counted.h. */
#include "stat_counted.h"

#include "analysis/span_counted.h"

#include <iotrace/counted_owner.h>
#include <string.h>

struct taking {
	struct frames *frames;
	const struct span_run *run;
	struct stat_paths *paths;
	bool has_tasks;   /* groups are processes or threads */
	bool has_owners;  /* the kernel's groups have an owner, which is the row, and a class */
	bool is_of_model; /* the span is one of the model, whose names the engine does not look up */
	uint64_t now;
};

void stat_counted_part(struct frames *frames, const struct counted_part *part)
{
	const struct frame_part counted = {.group = part->group,
					   .is_rest = part->is_rest,
					   .cell = part->cell,
					   .histogram = {.first = part->first,
							 .buckets = COUNTED_BUCKETS,
							 .bucket = part->bucket,
							 .sum = part->sum,
							 .min = part->min,
							 .max = part->max}};

	_Static_assert((int)COUNTED_BUCKETS == (int)FRAME_BUCKETS, "they are the same");
	frames_count_part(frames, &counted);
}

void stat_counted_flight(struct frames *frames, const struct counted_flight *flight)
{
	const struct frame_flight counted = {.group = flight->group,
					     .is_rest = flight->is_rest,
					     .is_total = flight->is_total,
					     .busy = flight->busy,
					     .read = flight->read,
					     .written = flight->written,
					     .errors = flight->errors};

	frames_count_flight(frames, &counted);
}

/* Flights are counted by owner only. */
static uint64_t row_of(const struct taking *to, uint64_t group)
{
	return to->has_owners ? counted_owner(group) : span_counted_group(to->run, 0, group);
}

/* Groups are chosen only if they are files. */
static bool is_wanted(const struct taking *to, uint64_t group)
{
	const char *name = to->paths->globs.globs ? live_counted_text(to->run->live, 0, group)
						  : NULL;

	return !name || stat_paths_want(to->paths, group, name);
}

static void take_part(void *context, const struct counted_part *part)
{
	const struct taking *to = context;
	struct counted_part of_row = *part;

	if (!part->is_rest && !is_wanted(to, part->group))
		return;
	of_row.group = row_of(to, part->group);
	stat_counted_part(to->frames, &of_row);
}

static void take_flight(void *context, const struct counted_flight *flight)
{
	const struct taking *to = context;
	struct counted_flight of_row = *flight;

	/* The flight of all groups is that of all files. */
	if (flight->is_total ? to->paths->globs.globs > 0
			     : !flight->is_rest && !is_wanted(to, flight->group))
		return;
	if (to->has_tasks && !flight->is_total && !flight->is_rest)
		span_engine_name_thread(to->run->engine, (uint32_t)flight->group, flight->comm);
	of_row.group = span_counted_group(to->run, 0, flight->group);
	stat_counted_flight(to->frames, &of_row);
}

static void take_open(void *context, const struct counted_open *open)
{
	const struct taking *to = context;
	struct span_seen seen = {.fate = SPAN_OPEN,
				 .group = row_of(to, open->group),
				 .begin = open->begin,
				 .end = to->now,
				 .bytes = open->bytes,
				 .pid = open->pid,
				 .tid = open->tid};

	if (!to->is_of_model)
		seen.comm = span_engine_thread(to->run->engine, open->tid);

	memcpy(seen.key, open->key, sizeof(seen.key));
	if (is_wanted(to, open->group))
		frames_open(to->frames, &seen);
	if (!open->second || !is_wanted(to, open->second - 1))
		return;
	seen.group = row_of(to, open->second - 1);
	frames_open(to->frames, &seen);
}

int stat_counted_cut(struct frames *frames, const struct span_run *run, struct stat_paths *paths,
		     uint64_t now)
{
	enum counted_by by = run->options->counted[0].by;
	struct taking to = {.frames = frames,
			    .run = run,
			    .paths = paths,
			    .has_owners = by == COUNTED_BY_FILE_SYSTEM,
			    .is_of_model = by == COUNTED_BY_FILE_SYSTEM || by == COUNTED_BY_FILE ||
					   run->options->counted[0].requests ||
					   run->options->counted[0].is_as_recorded,
			    .has_tasks = by == COUNTED_BY_PROCESS || by == COUNTED_BY_THREAD,
			    .now = now};

	live_counted_flights(run->live, 0, now, take_flight, &to);
	live_counted_parts(run->live, 0, take_part, &to);
	frames_cut(frames, now);
	return live_counted_open(run->live, 0, take_open, &to);
}
