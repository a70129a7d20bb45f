#include "span_options.h"

#include "option/select.h"
#include "span_choice.h"
#include "span_probe.h"

#include <ctype.h>
#include <errno.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/sink.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TOP_DEFAULT = 20, NUMBER_MOST = 100000, ROOM_DEFAULT = 1 << 16, ROOM_MOST = 1 << 26 };

static const uint64_t older_default = 1000000000; /* one second */

int span_parse_file(void *field, const char *arg, struct error *err)
{
	struct span_file *file = field;

	if (arg && !*arg)
		return error_say(err, EINVAL, "the name of the file is empty");
	file->is_wanted = true;
	file->path = arg && strcmp(arg, "-") != 0 ? arg : NULL;
	return 0;
}

/* A file with the name of another kind of image would not open where that is expected. */
static int parse_map(void *field, const char *arg, struct error *err)
{
	static const char *const other[] = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"};
	const char *end = arg ? strrchr(arg, '.') : NULL;

	for (size_t i = 0; end && i < sizeof(other) / sizeof(*other); i++) {
		if (strcasecmp(end, other[i]) != 0)
			continue;
		error_say(err, EINVAL, "--heatmap=%s: the image is an SVG", arg);
		error_hint(err, "Give it a name such as %.*s.svg", (int)(end - arg), arg);
		return -EINVAL;
	}
	return span_parse_file(field, arg, err);
}

int span_parse_number(uint32_t *field, const char *arg, uint32_t least, uint32_t most,
		      struct error *err)
{
	char *end = NULL;
	unsigned long number;

	errno = 0;
	number = strtoul(arg, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*arg) || number < least || number > most)
		return error_say(err, EINVAL,
				 "invalid number '%s': expected %u to %u, for example 10", arg,
				 least, most);
	*field = (uint32_t)number;
	return 0;
}

int span_parse_top(void *field, const char *arg, struct error *err)
{
	return span_parse_number(field, arg, 0, NUMBER_MOST, err);
}

static int parse_room(void *field, const char *arg, struct error *err)
{
	return span_parse_number(field, arg, 1, ROOM_MOST, err);
}

int span_parse_syscalls(void *field, const char *arg, struct error *err)
{
	uint32_t groups = select_default();
	int code = select_parse(&groups, arg, err);

	*(uint64_t *)field = groups;
	return code;
}

/* The names of all rows, for completion. */
#define MODEL_SPAN(name, ...)  #name " "
#define SPAN(name, ...)        #name " "
#define NESTED_SPAN(name, ...) #name " "
#define OTHER_SPEC(name, ...)
const char span_names[] =
#include <iotrace/spans.def>
	;
#undef MODEL_SPAN
#undef SPAN
#undef NESTED_SPAN
#undef OTHER_SPEC

#define FIELD(member)     offsetof(struct span_options, member)
#define RECORDING(member) FIELD(record.recording.member)

const struct option_row span_latency_rows[] = {
	{0, "span", "SPAN",
	 "what to measure: a name (see iotrace list --spans), or 'NAME: BEGIN -> END by FIELD' (may be repeated; default: call)",
	 OPTION_CALL, FIELD(words), options_add, span_names},
	{0, "above", "TIME", "only what took longer: 10ms, 1.5s, 800us", OPTION_CALL, FIELD(above),
	 record_parse_duration, NULL},
	{0, "slowest", "N", "also show the N that took longest", OPTION_CALL, FIELD(slowest),
	 span_parse_top, NULL},
	{0, "context", "K", "with --slowest: what the thread did before, K events", OPTION_CALL,
	 FIELD(context), span_parse_top, NULL},
	{0, "room", "N",
	 "room in the kernel for N open spans of each kind (default: 65536), where it counts them",
	 OPTION_CALL, FIELD(room), parse_room, NULL},
	{0, "histogram", NULL, "also show how many took how long", OPTION_FLAG,
	 FIELD(has_histogram), NULL, NULL},
	{0, "heatmap", "[=FILE]", "a map over time, in the terminal, or as SVG in FILE",
	 OPTION_CALL, FIELD(heat), parse_map, NULL},
	{0, "interval", "TIME",
	 "each TIME while it records, also print what ended since the last time", OPTION_CALL,
	 FIELD(interval), record_parse_duration, NULL},
#include "span/span_rows.def"
};

const struct option_row span_leaks_rows[] = {
	{0, "span", "SPAN",
	 "what may leak: a name (see iotrace list --spans), or 'NAME: BEGIN -> END by FIELD' (may be repeated; default: fd)",
	 OPTION_CALL, FIELD(words), options_add, span_names},
	{0, "older-than", "TIME", "what is open at the end is a leak after this time (default: 1s)",
	 OPTION_CALL, FIELD(older_than), record_parse_duration, NULL},
	{0, "stacks", NULL, "group leaks by the call chain that they began in, too", OPTION_FLAG,
	 FIELD(has_stacks), NULL, NULL},
	{0, "every", "TIME",
	 "each TIME while it records, also print what has been open for --older-than", OPTION_CALL,
	 FIELD(interval), record_parse_duration, NULL},
#include "span/span_rows.def"
};

void span_options_init(void *context)
{
	struct span_options *options = context;

	record_options_init(&options->record);
	options->top = TOP_DEFAULT;
	options->room = ROOM_DEFAULT;
	options->older_than = older_default;
}

void span_options_release(void *context)
{
	struct span_options *options = context;
	struct recording *recording = &options->record.recording;

	span_set_release(&options->set, recording);
	text_list_release(&recording->stacks);
	text_list_release(&options->words);
	text_list_release(&options->files);
	span_choice_release(options);
	record_options_release(&options->record);
}

int span_options_complete(struct span_options *options, const char *otherwise, struct error *err)
{
	int code = 0;

	if (options->record.verbosity)
		log_set_level(options->record.verbosity > 1 ? LOG_DEBUG : LOG_INFO);
	if (!options->is_stat && options->by &&
	    (!strcmp(options->by, "user") || !strcmp(options->by, "cgroup") ||
	     !strcmp(options->by, "connection")))
		return error_say(err, EINVAL, "--by %s: iotrace stat has it", options->by);
	if (options->context && !options->slowest)
		return error_say(err, EINVAL, "--context needs --slowest N");
	code = span_set_parse(&options->set, &options->words, &options->files,
			      options->is_of_archive, err);
	if (!code && !options->set.spans)
		code = span_set_add(&options->set, otherwise, options->is_of_archive, err);
	return code;
}

static bool is_any_of(const struct span_options *options, enum span_source a, enum span_source b)
{
	for (uint32_t i = 0; i < options->set.spans; i++)
		if (options->set.span[i]->source >= a && options->set.span[i]->source <= b)
			return true;
	return false;
}

/* The stack is in the sample of the begin of a span, or of the call that makes it. */
static int add_stacks(struct span_options *options, struct error *err)
{
	struct recording *recording = &options->record.recording;
	struct text_list *stacks = &recording->stacks;
	bool has_calls = false, has_requests = false;

	for (uint32_t i = 0; i < options->set.spans; i++) {
		const struct span *span = options->set.span[i];

		has_calls |= span_is_of_calls(span);
		has_requests |= span_is_of_requests(span);
		if (span->source != SPAN_OF_TRACEPOINTS && !span_is_of_calls(span) &&
		    !span_is_of_requests(span)) {
			return error_say(
				err, EINVAL,
				"--stacks: the records that span '%s' is made of have no stacks",
				span->name);
		}
		for (const struct span_point *begin = &span->side[SPAN_BEGIN];
		     begin && begin->event; begin = begin->other)
			text_list_add(stacks, begin->event);
	}
	if (has_calls)
		span_set_record_calls(recording);
	if (has_requests)
		span_set_record_requests(recording);
	return 0;
}

/* Whether it matters which task causes a block request, and the recording can know it. */
static bool has_causes(const struct span_options *options)
{
	const struct recording *recording = &options->record.recording;

	return is_any_of(options, SPAN_OF_REQUESTS, SPAN_OF_SERVICE) &&
	       recording->source != SOURCE_PERF &&
	       (!recording->is_system || recording->selection.comms.count ||
		recording->users.names.count || recording->cgroups.count ||
		(options->by && !strcmp(options->by, "process")));
}

/* Without BPF, the kernel's tracepoints say what requests of io_uring move. Their samples have addresses, which not everybody may see. */
static bool has_uring(const struct span_options *options)
{
	const struct span *first = options->set.span[0];
	bool is_of_calls = is_any_of(options, SPAN_OF_CALLS, SPAN_OF_OPERATIONS) ||
			   span_is_of_raw_calls(first);

	return options->is_stat && !options->is_of_owners && is_of_calls && !confine_is_lent() &&
	       options->record.recording.raw_groups >> GROUP_AIO & 1;
}

static void choose_calls(struct span_options *options)
{
	struct recording *recording = &options->record.recording;
	bool has_calls = is_any_of(options, SPAN_OF_CALLS, SPAN_OF_OPERATIONS) || options->context;

	if (options->is_stat || (options->syscalls && !has_calls))
		recording->raw_groups = options->syscalls ? (uint32_t)options->syscalls
							  : select_default();
	if (options->syscalls && (has_calls || !options->is_stat))
		recording->selection.groups = (uint32_t)options->syscalls;
	else if (!has_calls)
		recording->selection.groups = CALL_GROUPS_ALWAYS;
	if (has_uring(options))
		recording->selection.groups |= 1U << GROUP_URING;
	/* Other descriptors come from calls that are always recorded. */
	if (is_any_of(options, SPAN_OF_DESCRIPTORS, SPAN_OF_DESCRIPTORS) && !options->syscalls)
		recording->selection.groups |= 1U << GROUP_NET | 1U << GROUP_AIO;
	/* A worker writes the pages of a file for the task that wrote to it. */
	if (has_causes(options))
		recording->selection.groups |= 1U << GROUP_DATA | 1U << GROUP_AIO;
	if (is_any_of(options, SPAN_OF_FAULTS, SPAN_OF_FAULTS))
		recording->selection.groups |= 1U << GROUP_FAULT;
}

/* As in a recording, --path and --exclude-path do not apply to block requests and other events of the kernel. */
static int check_paths(const struct span_options *options, struct error *err)
{
	if (!record_has_paths(&options->record.recording))
		return 0;
	for (uint32_t i = 0; i < options->set.spans; i++) {
		const struct span *span = options->set.span[i];

		if (!span_is_of_calls(span) && span->source != SPAN_OF_FAULTS)
			return error_say(
				err, EINVAL,
				"--path and --exclude-path choose system calls, but span '%s' is "
				"of %s. Spans of calls are call, io, fd and fault",
				span->name,
				span_is_of_requests(span) ? "block requests"
							  : "other events of the kernel");
	}
	return 0;
}

static int choose(struct span_options *options, char *const *argv, struct error *err)
{
	struct recording *recording = &options->record.recording;
	bool has_blocks = is_any_of(options, SPAN_OF_REQUESTS, SPAN_OF_SERVICE);
	bool is_left_out[SPANS_MAX];
	int code = span_set_place(&options->set, recording, argv, err);

	if (!code)
		code = check_paths(options, err);
	if (code)
		return code;
	if (recording->source == SOURCE_PERF && is_any_of(options, SPAN_OF_FAULTS, SPAN_OF_FAULTS))
		return error_say(
			err, EINVAL,
			"--span fault: only BPF programs see page faults that read files, so "
			"not with --source=perf");
	choose_calls(options);
	recording->blocks.is_given = has_blocks;
	if (!has_blocks && recording->blocks.devices.count)
		return error_say(
			err, EINVAL,
			options->is_stat
				? "--device needs --by device, or --span block, block-queue or block-service"
				: "--device needs --span block, block-queue or block-service");
	if (!has_blocks) {
		recording->blocks.has_choice = true;
		recording->blocks.choice = BLOCK_NONE;
	}
	recording->blocks.mode = BLOCK_EVENTS;
	recording->sample_interval = 0;
	recording->is_watched = options->interval > 0;
	if (options->is_countable)
		span_choice_make(options);
	/* Without the programs that count requests, records of calls say which task caused one. */
	if ((options->is_stat || options->counted_count) && has_causes(options))
		recording->records_uncounted = true;
	recording->are_all_counted = options->counted_count == options->set.spans;
	recording->is_without_calls = recording->are_all_counted ||
				      (options->is_stat &&
				       !is_any_of(options, SPAN_OF_CALLS, SPAN_OF_DESCRIPTORS));
	for (uint32_t i = 0; i < options->set.spans; i++)
		is_left_out[i] = options->is_of_owners || span_choice_has(options, i);
	span_set_record(&options->set, is_left_out, options->context, recording);
	if (options->has_stacks)
		code = add_stacks(options, err);
	if (code)
		return code;
	if (recording->everywhere.count && recording->selection.comms.count)
		return error_say(
			err, EINVAL,
			"--comm: spans that end in other threads cannot be chosen by a thread's name");
	return 0;
}

/* Completes the options of `record`, without any output. */
int span_options_record(struct span_options *options, char *const *argv, struct error *err)
{
	struct record_options *record = &options->record;
	const struct recording *recording = &record->recording;
	int code = choose(options, argv, err);

	record->output.format = sink_find("null");
	record->output.is_quiet = true;
	if (!code && !argv && !recording->is_system && !recording->pids.count)
		return error_say(err, EINVAL,
				 "nothing to follow: expected a COMMAND, -a, -p PID, or a FILE");
	return code ? code : record_options_complete(record, argv, err);
}

int span_options_check_file(const struct span_options *options, const char *file, struct error *err)
{
	const struct recording *recording = &options->record.recording;

	if (recording->is_system || recording->pids.count)
		return error_say(err, EINVAL, "%s cannot be combined with -a or -p", file);
	for (uint32_t i = 0; i < options->set.spans; i++)
		if (options->set.span[i]->source == SPAN_OF_TRACEPOINTS &&
		    span_wants_probes(options->set.span[i]))
			return error_say(
				err, EINVAL,
				"span '%s': its probes are made while programs run, so it cannot be found in %s",
				options->set.span[i]->name, file);
	if (options->interval)
		return error_say(err, EINVAL,
				 "--interval and --every work only while recording, not for %s",
				 file);
	if (recording->duration || recording->cgroups.count || recording->selection.comms.count ||
	    recording->users.names.count || recording->blocks.devices.count || options->syscalls ||
	    recording->ring_bytes || recording->source != SOURCE_AUTO)
		return error_say(
			err, EINVAL,
			"--duration, --syscalls, --source, --cgroup, --uid, --comm, --device and -m work "
			"only while recording, not for %s",
			file);
	return 0;
}
