/* span_counted: see span_counted.h. */
#include "span_counted.h"

#include <iotrace/counted_read.h>
#include <iotrace/log.h>
#include <iotrace/syscall.h>

/* The destination of a span's numbers. */
struct taking {
	const struct span_run *run;
	struct latency *all, *part; /* part: NULL: not wanted */
	uint32_t index;             /* of the counted span */
	uint32_t span;
};

void span_counted_begin(const struct span_run *run)
{
	for (uint32_t i = 0; i < run->options->counted_count; i++)
		if (!live_counted_why(run->live, i))
			span_engine_use_counted(run->engine, run->options->counted_of[i]);
}

/* Returns the text of one of the kernel's groups; NULL: it is a number. */
static const char *text_of(const struct span_run *run, uint32_t index, uint64_t group)
{
	const struct counted_span *counted = &run->options->counted[index];
	call_id id = counted->is_as_recorded && counted->by == COUNTED_BY_GROUP
			     ? call_by_number((long)group)
			     : CALL_ID_NONE;

	return id == CALL_ID_NONE ? live_counted_text(run->live, index, group) : call_row(id)->name;
}

uint64_t span_counted_group(const struct span_run *run, uint32_t index, uint64_t group)
{
	const char *text = text_of(run, index, group);
	uint64_t chooser;

	if (live_counted_chooser(run->live, index, &chooser))
		span_engine_choose_names(run->engine, run->options->counted_of[index], chooser);
	return text ? span_engine_text(run->engine, text) : group;
}

static void take_part(void *context, const struct counted_part *part)
{
	const struct taking *to = context;
	const struct latency_part more = {
		.span = to->span,
		.group = span_counted_group(to->run, to->index, part->group),
		.is_rest = part->is_rest,
		.histogram = {.first = part->first,
			      .buckets = COUNTED_BUCKETS,
			      .bucket = part->bucket,
			      .sum = part->sum,
			      .min = part->min,
			      .max = part->max},
		.squares = (long double)part->squares[1] * 0x1p64L + (long double)part->squares[0],
		.bytes = part->bytes,
	};

	latency_add(to->all, &more);
	if (to->part)
		latency_add(to->part, &more);
}

static void take_open(void *context, const struct counted_open *open)
{
	const struct taking *to = context;
	struct span_seen seen = {.span = to->span,
				 .group = span_counted_group(to->run, to->index, open->group),
				 .begin = open->begin,
				 .bytes = open->bytes,
				 .pid = open->pid,
				 .tid = open->tid};

	span_engine_adopt(to->run->engine, &seen);
	if (!open->second)
		return;
	seen.group = span_counted_group(to->run, to->index, open->second - 1);
	span_engine_adopt(to->run->engine, &seen);
}

static void take_books(const struct taking *to, const struct counted_books *counted)
{
	const struct span_books books = {
		.begun = counted->begun,
		.fate = {[SPAN_ENDED] = counted->ended,
			 [SPAN_CANCELLED] = counted->cancelled,
			 [SPAN_LEFT] = counted->left,
			 [SPAN_DIED] = counted->died,
			 [SPAN_BEGUN_AGAIN] = counted->begun_again,
			 [SPAN_LOST] = counted->unreported},
		.ends_without_begin = counted->ends_without_begin,
		.excluded = counted->excluded,
		.unkept = counted->full,
		.unread = counted->unread,
		.missed = counted->missed,
	};

	span_engine_count(to->run->engine, to->span, &books, counted->first, counted->last);
	latency_add_below(to->all, counted->below);
}

bool span_counted_has_events(const struct span_run *run, uint32_t span)
{
	for (uint32_t i = 0; i < run->options->counted_count; i++) {
		struct counted_books books;

		if (run->options->counted_of[i] != span || live_counted_why(run->live, i))
			continue;
		books = live_counted_books(run->live, i);
		return books.begun || books.ends_without_begin || books.excluded || books.full;
	}
	return false;
}

void span_counted_take_part(const struct span_run *run, struct latency *all, struct latency *part)
{
	for (uint32_t i = 0; i < run->options->counted_count; i++) {
		struct taking to = {run, all, part, i, run->options->counted_of[i]};

		if (!live_counted_why(run->live, i))
			live_counted_take(run->live, i, take_part, &to);
	}
}

void span_counted_take(const struct span_run *run, struct latency *all, struct latency *part)
{
	for (uint32_t i = 0; i < run->options->counted_count; i++) {
		struct taking to = {run, all, part, i, run->options->counted_of[i]};
		struct counted_books books;

		if (live_counted_why(run->live, i))
			continue;
		books = live_counted_books(run->live, i);
		take_books(&to, &books);
		live_counted_parts(run->live, i, take_part, &to);
		if (live_counted_open(run->live, i, take_open, &to))
			log_warn("span '%s': the kernel does not say which are open",
				 run->options->set.span[to.span]->name);
	}
}
