/*
 * span_choice: see span_choice.h.
 *
 * Samples are needed if single spans or their times matter, or for information that only user space has.
 */
#include "span_choice.h"

#include "span_about.h"
#include "span_why.h"

#include <errno.h>
#include <iotrace/counted_owner.h>
#include <iotrace/counted_read.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <iotrace/span_ways.h>
#include <iotrace/syscall.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS_OF_ROOM = 4 };

/* Returns whether the pattern is "TEXT" or "TEXT*". */
static bool is_prefix(const char *pattern)
{
	size_t plain = strcspn(pattern, "*?[\\");

	return !pattern[plain] || !strcmp(pattern + plain, "*");
}

static void copy_point(struct counted_point *to, const struct span_point *from)
{
	static const enum counted_compare compare[] = {
		[SPAN_EQUAL] = COUNTED_EQUAL,     [SPAN_UNEQUAL] = COUNTED_UNEQUAL,
		[SPAN_LESS] = COUNTED_LESS,       [SPAN_LESS_EQUAL] = COUNTED_LESS_EQUAL,
		[SPAN_GREATER] = COUNTED_GREATER, [SPAN_GREATER_EQUAL] = COUNTED_GREATER_EQUAL,
		[SPAN_MATCHES] = COUNTED_EQUAL,
	};

	to->event = from->event;
	to->entry = from->entry;
	for (uint32_t i = 0; i < from->keys; i++) {
		to->key[i] = from->key[i];
		to->mask[i] = from->mask[i];
	}
	to->tests = from->tests;
	for (uint32_t i = 0; i < from->tests; i++) {
		const struct span_test *test = &from->test[i];
		bool is_pattern = test->compare == SPAN_MATCHES;

		to->test[i] = (struct counted_test){
			.field = test->field,
			.compare = compare[test->compare],
			.is_negative = test->is_negative,
			.is_alternative = test->is_alternative,
			.number = test->number,
		};
		if (!is_pattern && test->is_number)
			continue;
		if (is_pattern && !is_prefix(test->text))
			to->test[i].pattern = test->text;
		to->test[i].text = test->text;
		to->test[i].length = (uint32_t)(is_pattern ? strcspn(test->text, "*")
							   : strlen(test->text));
		to->test[i].is_prefix = test->text[to->test[i].length];
	}
}

static void copy_side(struct counted_span *counted, const struct span *span, int side)
{
	const struct span_point *point = &span->side[side];

	for (int i = 0; point; point = point->other)
		copy_point(&counted->point[span_counted_points[side][i++]], point);
}

/* Operations are by file if nothing else is wanted. */
static enum counted_by by_of(const struct span_options *options, const struct span *span,
			     bool is_of_operations)
{
	const char *by = options->by ? options->by : is_of_operations ? "file" : "group";

	if (!strcmp(by, "file") || (is_of_operations && !strcmp(by, "group")))
		return COUNTED_BY_FILE;
	if (is_of_operations && !strcmp(by, "mode"))
		return COUNTED_BY_MODE;
	if (options->is_of_owners || !strcmp(by, "fs"))
		return span_is_of_raw_calls(span) ? COUNTED_BY_FILE_SYSTEM : COUNTED_BY_OWNER;
	if (span_is_of_requests(span) && !strcmp(by, "device"))
		return COUNTED_BY_DEVICE;
	if (span_is_of_requests(span) && !strcmp(by, "mode"))
		return COUNTED_BY_KIND;
	return !strcmp(by, "none")         ? COUNTED_BY_NOTHING
	       : !strcmp(by, "process")    ? COUNTED_BY_PROCESS
	       : !strcmp(by, "thread")     ? COUNTED_BY_THREAD
	       : !strcmp(by, "user")       ? COUNTED_BY_USER
	       : !strcmp(by, "cgroup")     ? COUNTED_BY_CGROUP
	       : !strcmp(by, "connection") ? COUNTED_BY_CONNECTION
					   : COUNTED_BY_GROUP;
}

static enum counted_requests requests_of(const struct span *span)
{
	return span->source == SPAN_OF_REQUESTS  ? COUNTED_WHOLE_REQUESTS
	       : span->source == SPAN_OF_QUEUE   ? COUNTED_QUEUES
	       : span->source == SPAN_OF_SERVICE ? COUNTED_SERVICES
						 : COUNTED_NO_REQUESTS;
}

static void add_flights(const struct span_options *options, const struct span *span,
			struct counted_span *counted)
{
	struct counted_flights *flights = &counted->flights;
	const struct span_ways *ways = span->ways;

	*flights = (struct counted_flights){.is_wanted = true, .result = span->result};
	if (ways) {
		flights->read = (struct counted_way){ways->read.is_of_end, ways->read.header};
		flights->written = (struct counted_way){ways->written.is_of_end,
							ways->written.header};
	}
	flights->has_async = span_is_of_raw_calls(span) && span_about_has_async(options);
}

static void add_about(struct span_options *options, const struct span *span,
		      struct counted_span *counted)
{
	uint8_t *about = options->about[options->counted_count];

	if (!counted->is_size_result &&
	    (!options->is_stat || (!span->ways && !span_is_of_raw_calls(span))))
		return;
	counted->about = about;
	span_about_values(options, span, about);
	if (counted->is_as_recorded)
		span_about_recorded(options, about);
	if (counted->by == COUNTED_BY_FILE_SYSTEM)
		span_about_file_systems(options, about, options->fd);
	else if (counted->is_of_operations)
		span_about_operations(options, about);
	else
		return;
	counted->fd = options->fd;
	counted->fd2 = options->fd2;
}

/* For a daemon: each thread that makes calls has an entry; requests need fewer. */
static uint32_t room_of(const struct span_options *options, const struct span *span)
{
	return options->is_of_owners && !span_is_of_raw_calls(span)
		       ? options->room / REQUESTS_OF_ROOM
		       : options->room;
}

/* index: of the span whose numbers they are. It may be one of the model, which has the same calls. */
static void add(struct span_options *options, const struct span *span, uint32_t index)
{
	struct counted_span *counted = &options->counted[options->counted_count];
	enum span_source source = options->set.span[index]->source;
	bool is_of_faults = source == SPAN_OF_FAULTS;
	bool is_of_operations = source == SPAN_OF_OPERATIONS;
	enum counted_by by = by_of(options, span, is_of_operations || is_of_faults);

	_Static_assert((int)COUNTED_TESTS == (int)SPAN_TESTS && (int)COUNTED_KEYS == (int)SPAN_KEYS,
		       "they are the same");
	*counted = (struct counted_span){
		.name = options->set.span[index]->name,
		.keys = span->side[SPAN_BEGIN].keys,
		.cancel_keys = span->side[SPAN_CANCEL].keys,
		.by = by,
		.group = span->group,
		.size = span->size,
		.is_owner_in_key = span->where == SPAN_OF_KEY,
		.is_everywhere = span->where != SPAN_IN_TASK,
		.above = options->above,
		.room = room_of(options, span),
		.cells = options->cells,
		.is_size_result = span->ways && span->ways->is_size_result,
		.is_taken_in_parts = options->interval && !options->is_stat,
		.has_user = options->has_user,
		.user = options->user,
		.requests = requests_of(span),
		.is_as_recorded = is_of_operations ||
				  (source == SPAN_OF_CALLS && by != COUNTED_BY_FILE_SYSTEM),
		.is_of_operations = is_of_operations,
		.is_of_faults = is_of_faults,
		.has_faults = (is_of_operations || is_of_faults) &&
			      span_about_has_group(options, GROUP_FAULT),
		.has_async_operations = is_of_operations && !options->is_stat &&
					span_about_has_group(options, GROUP_AIO),
	};
	if (options->is_stat)
		add_flights(options, span, counted);
	add_about(options, span, counted);
	for (int side = 0; side < SPAN_SIDES; side++)
		copy_side(counted, span, side);
	if (!counted->requests && span != options->calls && !options->is_of_owners)
		span_add_events(span, false, &counted->events);
	for (uint32_t i = 0; i < counted->events.count; i++) /* without fields */
		*strchrnul((char *)(uintptr_t)counted->events.item[i], '=') = '\0';
	options->counted_of[options->counted_count++] = index;
}

bool span_choice_is_of_file_systems(const struct span_options *options)
{
	return options->is_stat && options->by && !strcmp(options->by, "fs") &&
	       options->set.span[0]->source == SPAN_OF_CALLS;
}

/* Returns whether the rows of iotrace stat are files, so that they can be chosen by their paths. */
static bool is_of_files(const struct span_options *options)
{
	return options->is_stat && options->set.span[0]->source == SPAN_OF_OPERATIONS &&
	       (!options->by || !strcmp(options->by, "file"));
}

/* Returns why the kernel does not count the span, or NULL. */
static const char *why_not(const struct span_options *options, uint32_t index)
{
	const struct span *span = options->set.span[index];

	if (span->source == SPAN_OF_TRACEPOINTS)
		return span_why_not(options, span);
	if (span_is_of_requests(span))
		return span_why_not_requests(options);
	if (is_of_files(options))
		return span_why_none(options, true);
	return span->source == SPAN_OF_CALLS ? span_why_not_calls(options)
					     : span_why_not_operations(options, span);
}

/* Calls are recorded for all spans of the model, or for none. */
static const char *why_not_beside(const struct span_options *options, uint32_t index)
{
	const char *why = why_not(options, index);

	for (uint32_t i = 0; i < options->set.spans && !why; i++)
		if (options->set.span[index]->source != SPAN_OF_TRACEPOINTS && why_not(options, i))
			why = "another span is recorded";
	return why;
}

/* The kernel counts calls at their tracepoints. Samples have the same calls, and the model knows their names and files. */
static void choose_calls(struct span_options *options, uint32_t index)
{
	struct error ignored = {0};

	if (!options->calls)
		options->calls = span_find("syscall", &ignored);
	if (options->calls)
		add(options, options->calls, index);
	options->record.recording.records_uncounted |= options->calls != NULL;
}

static void choose_faults(struct span_options *options, uint32_t index)
{
	add(options, options->set.span[index], index);
	options->record.recording.records_uncounted = true;
}

static void choose(struct span_options *options, uint32_t index)
{
	const struct span *span = options->set.span[index];
	const char *why = why_not_beside(options, index);

	if (why)
		options->why = why;
	if (why)
		log_info("span '%s' is not counted in the kernel: %s", span->name, why);
	else if (span->source == SPAN_OF_TRACEPOINTS || span_is_of_requests(span))
		add(options, span, index);
	else if (span->source == SPAN_OF_FAULTS)
		choose_faults(options, index);
	else
		choose_calls(options, index);
}

void span_choice_make(struct span_options *options)
{
	if (record_has_paths(&options->record.recording) && !is_of_files(options)) {
		options->why = "--path and --exclude-path need the names of the files of calls";
		return;
	}
	for (uint32_t i = 0; i < options->set.spans; i++)
		choose(options, i);
	options->record.recording.counted = options->counted;
	options->record.recording.counted_count = options->counted_count;
}

/* Returns why the kernel does not count this span of tracepoints, or NULL. */
static const char *why_recorded(const struct span_options *options, const struct live *live,
				uint32_t span)
{
	for (uint32_t i = 0; i < options->counted_count; i++)
		if (options->counted_of[i] == span)
			return live_counted_why(live, i);
	return options->is_countable ? span_why_not(options, options->set.span[span])
				     : "each of them is shown";
}

int span_choice_check_users(const struct span_options *options, const struct live *live,
			    struct error *err)
{
	for (uint32_t i = 0; options->record.recording.users.names.count && i < options->set.spans;
	     i++) {
		const struct span *span = options->set.span[i];
		const char *why = span->source == SPAN_OF_TRACEPOINTS
					  ? why_recorded(options, live, i)
					  : NULL;

		if (why)
			return error_say(
				err, ENOTSUP,
				"--uid: events of span '%s' do not say which user they are of, "
				"and the kernel cannot count it: %s",
				span->name, why);
	}
	return 0;
}

bool span_choice_has(const struct span_options *options, uint32_t span)
{
	for (uint32_t i = 0; i < options->counted_count; i++)
		if (options->counted_of[i] == span)
			return true;
	return false;
}

void span_choice_release(struct span_options *options)
{
	for (uint32_t i = 0; i < options->counted_count; i++) {
		struct text_list *events = &options->counted[i].events;

		for (uint32_t k = 0; k < events->count; k++)
			free((void *)(uintptr_t)events->item[k]);
		text_list_release(events);
	}
	span_free(options->calls);
}
