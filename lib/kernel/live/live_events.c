/*
 * live_events: the events of a recording.
 *
 * There is a row for each tracepoint except those of system calls. Filters in the kernel exclude calls, commands, devices and
 * users that were not requested. Optional events come last, so that all others have the same index here and in the capture.
 */
#include "live_events.h"

#include "load/bpf_source.h"
#include "perf/counter.h"
#include "perf/filter.h"
#include "source/live_block.h"
#include "source/live_filter.h"

#include <errno.h>
#include <iotrace/capture.h>
#include <iotrace/confine.h>
#include <iotrace/counted_read.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

/* The steps of a block request. Only issue and complete are required; the others differ between kernels. */
static const struct {
	const char *name;
	bool is_needed;
	bool has_old_dev; /* the event also has the device that a bio came from */
} block_event[] = {
	{"block_rq_issue", true, false},   {"block_rq_complete", true, false},
	{"block_rq_insert", false, false}, {"block_rq_requeue", false, false},
	{"block_rq_error", false, false},  {"block_rq_merge", false, false},
	{"block_bio_queue", false, false}, {"block_bio_complete", false, false},
	{"block_bio_remap", false, true},  {"block_bio_backmerge", false, false},
	{"block_split", false, false},     {"block_bio_frontmerge", false, false},
};

/*
 * Adds a tracepoint, and its format to the capture. `name`: its name in the capture, or NULL. Returns its index, or -errno with a
 * message.
 */
static int add_named(struct live *live, enum perf_role role, const char *system, const char *event,
		     const char *name, char *filter, struct error *err)
{
	char *format = tracefs_format(&live->tracefs, system, event, err);
	struct perf_event_attr attr;
	char *full;
	int id, index;

	if (!format) {
		free(filter);
		return -err->code;
	}
	id = tracefs_id(format);
	capture_info_add_format(&live->info, system, format);
	free(format);
	if (id < 0) {
		free(filter);
		return error_say(err, EBADMSG, "tracepoint %s:%s: its format has no ID", system,
				 event);
	}
	full = name ? mem_strdup(name) : mem_format("%s:%s", system, event);
	if (live_filter_check(full, filter, err)) {
		free(filter);
		free(full);
		return -err->code;
	}
	perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, (uint64_t)id);
	attr.sample_period = 1;
	if (role == ROLE_OPENER || role == ROLE_PATH) {
		attr.watermark = 0;
		attr.wakeup_events = 1;
	}
	index = perf_set_add(&live->set, role, &attr, full, filter, PERF_NO_LEADER);
	free(full);
	if (index == -E2BIG)
		return error_say(err, E2BIG, "more than %d events", PERF_SPECS_MAX);
	return index;
}

/* Adds a tracepoint for the recorded tasks. */
static int add_tracepoint(struct live *live, enum perf_role role, const char *system,
			  const char *name, struct error *err)
{
	char *filter = live_filter(live, role, &live->recording->selection);

	return add_named(live, role, system, name, NULL, filter, err);
}

static int add_exits(struct live *live, enum perf_role role, struct error *err)
{
	const struct text_list *counters = &live->recording->counters;
	int index = add_tracepoint(live, role, "raw_syscalls", "sys_exit", err);

	return index < 0 ? index
			 : counter_add(&live->set, index, counters->item, counters->count, err);
}

/* All events exist from the begin, because a command that joins later may want other calls than the first. */
static bool may_want(const struct live *live, enum call_group group)
{
	return live->host || live->recording->selection.groups >> group & 1;
}

static int add_calls(struct live *live, struct error *err)
{
	int code = add_tracepoint(live, ROLE_ENTER, "raw_syscalls", "sys_enter", err);

	/* All calls of FILTER_PATH are in this group. */
	if (code >= 0 && may_want(live, GROUP_META))
		code = add_tracepoint(live, ROLE_PATH, "raw_syscalls", "sys_enter", err);
	if (code >= 0)
		code = add_exits(live, ROLE_EXIT, err);
	if (code >= 0)
		code = add_exits(live, ROLE_OPENER, err);
	return code;
}

/* Adds FORK, EXIT and COMM records. The address of [vdso] at an exec shows whether the program is a 32-bit one. */
static void add_tasks(struct live *live)
{
	struct perf_event_attr attr;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.task = attr.comm = attr.comm_exec = attr.mmap = 1;
	perf_set_add(&live->set, ROLE_TASK, &attr, "dummy:task", NULL, PERF_NO_LEADER);
}

/* Checks that the chosen fields "A,B" exist. */
static int check_fields(const char *format, const char *event, const char *fields,
			struct error *err)
{
	char *words = mem_strdup(fields), *rest = words, *word;
	uint32_t offset, size;
	int code = 0;

	while (!code && (word = strsep(&rest, ",")))
		if (!tracefs_field(format, word, &offset, &size))
			code = error_say(
				err, EINVAL,
				"-e %s: no field '%s'; 'iotrace list -e %s' shows the fields",
				event, word, event);
	free(words);
	return code;
}

/*
 * A user with lent rights may record, but must not see kernel addresses, which only root sees, as in /proc/kallsyms. A sample has
 * all fields of its event, not only the chosen ones.
 */
static int refuse_addresses(const char *system, const char *event, const char *format,
			    struct error *err)
{
	if (!confine_is_lent() || !tracefs_has_address(system, format))
		return 0;
	error_say(err, EPERM,
		  "-e %s: its samples contain kernel addresses, which only root may see", event);
	error_hint(err,
		   "Record it as root, or choose an event without pointers: iotrace list -e '%s:*'",
		   system);
	return -EPERM;
}

static bool has_stack(const struct live *live, const char *event)
{
	const struct text_list *stacks = &live->recording->stacks;

	for (uint32_t i = 0; i < stacks->count; i++)
		if (!strcmp(stacks->item[i], event))
			return true;
	return false;
}

/*
 * Only root may see kernel addresses in stacks: see refuse_addresses(). At the begin of a call, the kernel's functions are always
 * the same.
 */
static void add_stack(struct perf_event_attr *attr, const char *system)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_kernel = confine_is_lent() || !strcmp(system, "raw_syscalls");
}

/* Of the tasks that are recorded; of the two events of all calls, only those that are wanted. */
static char *filter_of_chosen(const struct live *live, const char *system)
{
	const struct recording *recording = live->recording;
	bool is_of_calls = recording->raw_groups && !strcmp(system, "raw_syscalls");
	char *tasks = live_filter(live, ROLE_CHOSEN, &recording->selection);

	return is_of_calls ? live_filter_both(filter_groups(recording->raw_groups), tasks) : tasks;
}

/* Returns whether only spans need the event. Another one may have the same text. */
static bool is_of_span(const struct live *live, const char *text)
{
	const struct text_list *of_spans = &live->recording->of_spans;

	for (uint32_t i = 0; i < of_spans->count; i++)
		if (of_spans->item[i] == text)
			return true;
	return false;
}

/* -e SYSTEM:EVENT[=FIELD,...]. The name of the event in the capture contains the chosen fields. */
static int add_chosen(struct live *live, enum perf_role role, const char *text, struct error *err)
{
	size_t colon = strcspn(text, ":"), length = strcspn(text, "=");
	char *full = mem_format("%.*s", (int)length, text);
	char *system = mem_format("%.*s", (int)colon, text);
	char *name = mem_format("%s%s",
				is_of_span(live, text) ? CAPTURE_SPAN_PREFIX
						       : CAPTURE_CHOSEN_PREFIX,
				text);
	char *format = NULL;
	const char *event = full + (colon < length ? colon + 1 : length);
	int code;

	format = tracefs_format(&live->tracefs, system, event, err);
	code = format ? 0 : -err->code;
	if (!code && text[length])
		code = check_fields(format, full, text + length + 1, err);
	if (!code)
		code = refuse_addresses(system, full, format, err);
	if (!code)
		code = add_named(live, role, system, event, name,
				 role == ROLE_CHOSEN ? filter_of_chosen(live, system)
						     : live_filter_without_own(live, NULL),
				 err);
	if (code >= 0 && has_stack(live, text))
		add_stack(&live->set.spec[code].attr, system);
	free(format);
	free(system);
	free(full);
	free(name);
	return code;
}

/* Counted spans have no events, but the formats contain the names of numbers. */
static void describe_counted(struct live *live, const struct counted_span *span)
{
	for (int i = 0; i < COUNTED_POINTS; i++) {
		const char *event = span->point[i].event;
		char *system = event ? mem_format("%.*s", (int)strcspn(event, ":"), event) : NULL;
		char *format = system ? tracefs_format(&live->tracefs, system,
						       event + strlen(system) + 1, NULL)
				      : NULL;

		if (format)
			capture_info_add_format(&live->info, system, format);
		free(format);
		free(system);
	}
}

static bool is_probe(const struct recording_probes *probes, const char *event)
{
	for (uint32_t i = 0; i < probes->count; i++)
		if (!strcmp(probes->item[i].event, event))
			return true;
	return false;
}

/*
 * Spans that the kernel counts need no events; the others get theirs. Probes of programs are only in processes that have events of
 * them, so those that are counted have events, too: the programs take their samples away.
 */
static int add_events_of(struct live *live, const struct counted_span *span, bool is_counted,
			 struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < span->events.count && code >= 0; i++) {
		const char *event = span->events.item[i];

		if (is_counted && !is_probe(&live->recording->probes, event))
			continue;
		code = add_chosen(live, span->is_everywhere ? ROLE_BLOCK : ROLE_CHOSEN, event, err);
		if (code >= 0)
			live->set.spec[code].is_silent = is_counted;
	}
	return code;
}

static int add_counted(struct live *live, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < live->recording->counted_count && code >= 0; i++) {
		const struct counted_span *span = &live->recording->counted[i];
		bool is_counted = !live_counted_why(live, i);

		if (is_counted)
			describe_counted(live, span);
		code = add_events_of(live, span, is_counted, err);
	}
	return code;
}

static int add_all_chosen(struct live *live, struct error *err)
{
	const struct text_list *chosen = &live->recording->tracepoints;
	const struct text_list *everywhere = &live->recording->everywhere;
	int code = 0;

	for (uint32_t i = 0; i < chosen->count && code >= 0; i++)
		code = add_chosen(live, ROLE_CHOSEN, chosen->item[i], err);
	for (uint32_t i = 0; i < everywhere->count && code >= 0; i++)
		code = add_chosen(live, ROLE_BLOCK, everywhere->item[i], err);
	return code < 0 ? code : add_counted(live, err);
}

/* Returns whether the user must not see samples of this event. */
static bool is_secret(const struct live *live, const char *system, const char *name)
{
	char *format = confine_is_lent() ? tracefs_format(&live->tracefs, system, name, NULL)
					 : NULL;
	bool has_address = format && tracefs_has_address(system, format);

	free(format);
	return has_address;
}

/* Adds an optional event. Without it, only details are missing, such as clone flags or the type of a lock. */
static void add_optional(struct live *live, const char *system, const char *name)
{
	struct error ignored = {0};

	if (is_secret(live, system, name)) {
		log_debug("%s:%s is not recorded: it has addresses in the kernel", system, name);
		return;
	}
	if (add_tracepoint(live, ROLE_OPTIONAL, system, name, &ignored) < 0)
		log_debug("%s:%s is not recorded: %s", system, name, ignored.text);
}

static int add_block(struct live *live, struct error *err)
{
	for (size_t i = 0; i < sizeof(block_event) / sizeof(block_event[0]); i++) {
		struct error why = {0};
		int code = add_named(live, ROLE_BLOCK, "block", block_event[i].name, NULL,
				     live_filter_of_devices(live, block_event[i].has_old_dev),
				     &why);

		if (code >= 0)
			continue;
		if (!block_event[i].is_needed) {
			log_debug("block:%s is not recorded: %s", block_event[i].name, why.text);
			continue;
		}
		if (recording_asks_for_blocks(live->recording)) {
			*err = why;
			return code;
		}
		live_add_remark(live, mem_format("block requests are not recorded: %s", why.text));
		live->block = BLOCK_NONE;
		return 0;
	}
	return 0;
}

/* The tracepoint of submissions has this name since Linux 6.4. */
static int add_uring(struct live *live, struct error *err)
{
	static const char *const name[] = {"io_uring_create", "io_uring_submit_req",
					   "io_uring_submit_sqe", "io_uring_file_get",
					   "io_uring_complete"};

	if (is_secret(live, "io_uring", name[0]))
		return error_say(
			err, EPERM,
			"--syscalls=+uring with perf records kernel addresses, which only root "
			"may see. Remove it, or record with BPF");
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		add_optional(live, "io_uring", name[i]);
	return 0;
}

static bool is_recorded_by_bpf(const struct live *live, enum bpf_feature feature)
{
	const struct bpf_feature_state *state =
		live->bpf.source ? bpf_source_feature(live->bpf.source, feature) : NULL;

	return state && state->is_wanted && !*state->why;
}

/* What cannot be counted is not recorded instead. Some kernels refuse every event to those who may count. */
static void describe_all_counted(struct live *live)
{
	for (uint32_t i = 0; i < live->recording->counted_count; i++)
		if (!live_counted_why(live, i))
			describe_counted(live, &live->recording->counted[i]);
}

int live_add_events(struct live *live, struct error *err)
{
	int code;

	if (live->recording->has_only_counts) {
		describe_all_counted(live);
		return 0;
	}
	add_tasks(live);
	code = live->bpf.source ? 0 : add_calls(live, err);
	if (code >= 0)
		code = add_all_chosen(live, err);
	if (code < 0)
		return code;
	if (!is_recorded_by_bpf(live, BPF_FEATURE_CLONE))
		add_optional(live, "task", "task_newtask");
	if (may_want(live, GROUP_LOCK) && !is_recorded_by_bpf(live, BPF_FEATURE_LOCK))
		add_optional(live, "filelock", "fcntl_setlk");
	if (live->recording->selection.groups >> GROUP_URING & 1 && !live->bpf.source)
		code = add_uring(live, err);
	if (code < 0)
		return code;
	return live_block_is_of_perf(live) ? add_block(live, err) : 0;
}
