/* daemon_line: see daemon_line.h. */
#include "daemon_line.h"

#include "daemon_hang.h"
#include "stat/stat_before.h"
#include "stat/stat_counted.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/publication.h>
#include <string.h>

const char *daemon_view_title(uint32_t view)
{
	static const char *const title[PUBLICATION_VIEWS] = {
		[PUBLICATION_DEVICE] = "requests of block devices",
		[PUBLICATION_FS] = "system calls on files",
		[PUBLICATION_FUSE] = "requests to FUSE file systems",
	};

	return view < PUBLICATION_VIEWS ? title[view] : "unknown spans";
}

void daemon_view_begin(struct daemon_view *view, struct live *live)
{
	view->from = live_counted_books(live, view->index).first;
	view->groups = frames_new(view->hang);
	view->owners = frames_new(view->hang);
	frames_start(view->groups, view->from);
	frames_start(view->owners, view->from);
}

void daemon_view_release(struct daemon_view *view)
{
	frames_free(view->groups);
	frames_free(view->owners);
}

struct taking {
	struct daemon_view *view;
	uint64_t now;
};

static void take_part(void *context, const struct counted_part *part)
{
	const struct taking *to = context;

	stat_counted_part(to->view->groups, part);
}

static void take_flight(void *context, const struct counted_flight *flight)
{
	const struct taking *to = context;

	stat_counted_flight(to->view->owners, flight);
}

static void take_open(void *context, const struct counted_open *open)
{
	const struct taking *to = context;
	struct span_seen seen = {.fate = SPAN_OPEN,
				 .group = open->group,
				 .begin = open->begin,
				 .end = to->now,
				 .pid = open->pid,
				 .tid = open->tid};

	memcpy(seen.key, open->key, sizeof(seen.key));
	frames_open(to->view->groups, &seen);
	seen.group = counted_owner(open->group);
	frames_open(to->view->owners, &seen);
}

static void write_buckets(const struct histogram *histogram, FILE *out)
{
	uint64_t bucket[PUBLICATION_BUCKETS] = {0};

	for (uint32_t row = 0; row < HISTOGRAM_ROWS; row++)
		for (uint32_t i = 0; histogram->row[row] && i < HISTOGRAM_SUB; i++)
			bucket[publication_bucket(histogram_from(row * HISTOGRAM_SUB + i))] +=
				histogram->row[row][i];
	for (uint32_t i = 0; i < PUBLICATION_BUCKETS; i++)
		if (bucket[i])
			fprintf(out, " %u:%" PRIu64, i, bucket[i]);
	fputc('\n', out);
}

static void write_group(const struct daemon_view *view, const struct frame_row *row, FILE *out)
{
	if (!row->now.ops && !row->in_flight)
		return;
	fprintf(out, "G %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %d", view->view,
		row->is_rest ? PUBLICATION_REST : counted_owner(row->group),
		row->is_rest ? 0 : counted_class(row->group), row->now.ops, row->histogram.sum,
		row->histogram.max, row->in_flight, row->oldest, row->is_hung);
	write_buckets(&row->histogram, out);
}

static void write_owner(const struct daemon_view *view, const struct frame_row *row, FILE *out)
{
	if (!row->busy && !row->in_flight && !row->now.read && !row->now.written &&
	    !row->now.errors)
		return;
	fprintf(out, "O %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %d\n",
		view->view, row->is_rest ? PUBLICATION_REST : (uint32_t)row->group, row->now.read,
		row->now.written, row->now.errors, row->busy, row->in_flight, row->oldest,
		row->is_hung);
}

static void write_books(struct daemon_view *view, const struct counted_books *now, FILE *out)
{
	const struct counted_books *last = &view->books;

	fprintf(out,
		"B %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 "\n",
		view->view, now->begun - last->begun, now->ended - last->ended,
		now->cancelled - last->cancelled, now->left - last->left,
		now->begun_again - last->begun_again, now->full - last->full,
		now->ungrouped - last->ungrouped, now->missed - last->missed);
	view->books = *now;
}

static void write_errors(struct daemon_view *view, const uint64_t *failed, FILE *out)
{
	for (uint32_t i = 0; failed && i < COUNTED_ERRNOS; i++) {
		uint64_t now = failed[i];

		if (now != view->failed[i])
			fprintf(out, "E %u %" PRIu64 "\n", i, now - view->failed[i]);
		view->failed[i] = now;
	}
}

static void write_rows(const struct daemon_view *view, struct frames *frames,
		       void (*write)(const struct daemon_view *, const struct frame_row *, FILE *),
		       FILE *out)
{
	const struct frame *frame = frames_get(frames);

	for (uint32_t i = 0; i < frame->rows; i++)
		write(view, frame->row[i], out);
	frames_next(frames);
}

void daemon_view_write(struct daemon_view *view, struct live *live, uint64_t now, FILE *out)
{
	struct taking to = {view, now};
	struct counted_books books;

	live_counted_flights(live, view->index, now, take_flight, &to);
	live_counted_parts(live, view->index, take_part, &to);
	frames_cut(view->groups, now);
	frames_cut(view->owners, now);
	live_counted_open(live, view->index, take_open, &to);
	if (view->before) {
		stat_before_look(view->before, view->owners, true);
		stat_before_open(view->before, view->owners, now, true);
		stat_before_open(view->before, view->groups, now, false);
	}
	books = live_counted_books(live, view->index);
	if (view->hangs)
		daemon_hangs_add(view->hangs, view->view, frames_get(view->groups));
	write_rows(view, view->groups, write_group, out);
	write_rows(view, view->owners, write_owner, out);
	write_books(view, &books, out);
	write_errors(view, live_counted_errors(live, view->index), out);
	view->from = now;
}

void daemon_line_begin(FILE *out, uint64_t from, uint64_t to, uint64_t realtime)
{
	fprintf(out, "F %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", from < to ? from : to, to,
		realtime);
}

void daemon_line_end(FILE *out)
{
	fputs(".\n", out);
}
