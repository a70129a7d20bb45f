/* span_why: see span_why.h. */
#include "span_why.h"

#include "span_about.h"

#include <iotrace/span_ways.h>
#include <iotrace/syscall.h>
#include <string.h>

const char *span_why_none(const struct span_options *options, bool of_tasks)
{
	const struct recording *recording = &options->record.recording;
	const struct {
		bool is;
		const char *why;
	} row[] = {
		{recording->source == SOURCE_PERF, "--source=perf"},
		{options->slowest, "--slowest needs each of them"},
		{options->heat.is_wanted, "--heatmap needs their times"},
		{!of_tasks && recording->users.names.count, "--uid"},
		{!of_tasks && recording->selection.comms.count, "--comm"},
		{!of_tasks && recording->cgroups.count, "--cgroup"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (row[i].is)
			return row[i].why;
	return NULL;
}

const uint8_t span_counted_points[SPAN_SIDES][COUNTED_POINTS] = {
	[SPAN_BEGIN] = {COUNTED_BEGIN, COUNTED_BEGIN_2, COUNTED_POINTS},
	[SPAN_END] = {COUNTED_END, COUNTED_END_2, COUNTED_END_3, COUNTED_END_4, COUNTED_POINTS},
	[SPAN_CANCEL] = {COUNTED_CANCEL, COUNTED_CANCEL_2, COUNTED_POINTS},
};

static const char *why_not_side(const struct span *span, int side)
{
	static const char *const many[SPAN_SIDES] = {"more than 2 events begin it",
						     "more than 4 events end it",
						     "more than 2 events cancel it"};
	const uint8_t *number = span_counted_points[side];
	const struct span_point *point = &span->side[side];

	for (; point; point = point->other)
		if (*number++ == COUNTED_POINTS)
			return many[side];
	return NULL;
}

/* Returns whether the rows are groups of one of these kinds; by default, they are. */
static bool is_by(const struct span_options *options, const char *const *kinds)
{
	bool is = !options->by;

	for (; *kinds && !is; kinds++)
		is = !strcmp(options->by, *kinds);
	return is;
}

/*
 * The programs find the device of a request and whether a followed task caused it, but not its file. The name of its process is that of
 * a task that may have ended long before a worker writes its pages.
 */
const char *span_why_not_requests(const struct span_options *options)
{
	static const char *const kinds[] = {"group", "none", "device", "mode", NULL};

	if (!is_by(options, kinds) && !options->is_of_owners)
		return "only records say which process and which file a request is of";
	return span_why_none(options, true);
}

/* The programs know the name and the thread of a call, and of iotrace stat its file system. */
const char *span_why_not_calls(const struct span_options *options)
{
	static const char *const kinds[] = {"group", "call", "none", "process", "thread", NULL};
	bool is_of_fs = options->is_stat && options->by && !strcmp(options->by, "fs");

	if (!is_by(options, kinds) && !is_of_fs)
		return "only records say which file a call is of";
	/* They count if a file is mapped at their address. */
	if (span_about_has_group(options, GROUP_MAP) && !is_of_fs)
		return "only records say which calls of --syscalls=+mmap are of files";
	return span_why_none(options, true);
}

const char *span_why_not_operations(const struct span_options *options, const struct span *span)
{
	static const char *const kinds[] = {"group",   "file",   "mode", "none",
					    "process", "thread", NULL};

	if (span->source != SPAN_OF_OPERATIONS && span->source != SPAN_OF_FAULTS)
		return "its begins and ends come from the model";
	if (!is_by(options, kinds))
		return "only records say which call and which mount an operation is of";
	if (span_about_has_group(options, GROUP_MAP) && span->source == SPAN_OF_OPERATIONS)
		return "only records say which operations of --syscalls=+mmap are of files";
	return span_why_none(options, true);
}

const char *span_why_not(const struct span_options *options, const struct span *span)
{
	const char *why = span_why_none(options, span->where != SPAN_OF_KEY);

	for (int side = 0; side < SPAN_SIDES && !why; side++)
		why = why_not_side(span, side);
	if (why)
		return why;
	if (options->is_stat && span_is_of_raw_calls(span) &&
	    (!span->group || strcmp(span->group, "id") != 0))
		return "only some calls are wanted, and its group is not their number";
	return NULL;
}
