/*
 * live_setup: which events a recording has, for which threads, and how its capture describes them.
 *
 * The optional tracepoints come last, so that the others have the same index here and in the capture.
 */
#include "clock.h"
#include "counter.h"
#include "filter.h"
#include "live_private.h"

#include <errno.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef IOTRACE_VERSION
#define IOTRACE_VERSION "unknown"
#endif

enum { RING_DEFAULT = 16 << 20, RING_LEAST = 64 << 10, RAM_SHARE = 16, ATTACH_PASSES = 8 };

/* Adds a tracepoint, and its format to the capture. Returns its index, or -errno with a sentence. */
static int add_tracepoint(struct live *live, enum perf_role role, const char *system,
			  const char *name, char *filter, struct error *err)
{
	char *format = tracefs_format(&live->tracefs, system, name, err);
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
				 name);
	}
	perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, (uint64_t)id);
	attr.sample_period = 1;
	if (role == ROLE_OPENER || role == ROLE_PATH) {
		attr.watermark = 0;
		attr.wakeup_events = 1;
	}
	full = mem_format("%s:%s", system, name);
	index = perf_set_add(&live->set, role, &attr, full, filter, PERF_NO_LEADER);
	free(full);
	return index;
}

static int add_exits(struct live *live, enum perf_role role, enum filter_use use, struct error *err)
{
	const struct live_options *options = live->options;
	int index = add_tracepoint(live, role, "raw_syscalls", "sys_exit",
				   filter_calls(use, options->groups), err);

	return index < 0 ? index
			 : counter_add(&live->set, index, options->counter, options->counters, err);
}

static int add_paths(struct live *live, struct error *err)
{
	char *filter = filter_calls(FILTER_PATH, live->options->groups);

	return filter ? add_tracepoint(live, ROLE_PATH, "raw_syscalls", "sys_enter", filter, err)
		      : 0;
}

/* The clone flags of new tasks, the kind of a record lock: what they say is left out where they are refused. */
static void add_optional(struct live *live, const char *system, const char *name)
{
	struct error ignored = {0};

	if (add_tracepoint(live, ROLE_OPTIONAL, system, name, NULL, &ignored) < 0)
		log_debug("%s:%s is not recorded: %s", system, name, ignored.text);
}

static int add_specs(struct live *live, struct error *err)
{
	struct perf_event_attr attr;
	int code;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.task = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.mmap = 1; /* where an exec maps [vdso] tells whether it is a 32-bit program */
	perf_set_add(&live->set, ROLE_TASK, &attr, "dummy:task", NULL, PERF_NO_LEADER);
	code = add_tracepoint(live, ROLE_ENTER, "raw_syscalls", "sys_enter",
			      filter_calls(FILTER_ENTER, live->options->groups), err);
	if (code >= 0)
		code = add_paths(live, err);
	if (code >= 0)
		code = add_exits(live, ROLE_EXIT, FILTER_EXIT, err);
	if (code >= 0)
		code = add_exits(live, ROLE_OPENER, FILTER_OPENER, err);
	if (code < 0)
		return code;
	add_optional(live, "task", "task_newtask");
	if (live->options->groups >> GROUP_LOCK & 1)
		add_optional(live, "filelock", "fcntl_setlk");
	return 0;
}

static int find_cpus(struct live *live, struct error *err)
{
	struct procfs sys;
	char text[4096];
	int code = procfs_open(&sys, "/sys/devices/system/cpu", err);

	if (code)
		return code;
	procfs_read(&sys, text, sizeof(text), "online");
	procfs_close(&sys);
	if (perf_set_cpus(&live->set, text))
		return error_say(err, EBADMSG,
				 "/sys/devices/system/cpu/online: \"%s\" is no list of CPUs", text);
	return 0;
}

/* Returns the size of a ring that is asked for: a power of two of pages. */
static uint64_t ring_want(const struct live *live)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	uint64_t asked = live->options->ring_bytes;
	uint64_t size = page;

	if (!asked) {
		asked = RING_DEFAULT;
		while (asked > RING_LEAST && asked * live->set.cpus > ram / RAM_SHARE)
			asked /= 2;
	}
	while (size < asked && size < (uint64_t)1 << 40)
		size *= 2;
	return size;
}

static void remark_rings(struct live *live, uint64_t want)
{
	uint64_t size = live->set.ring[0].size;

	live->ring_bytes = size;
	if (size < want)
		live_add_remark(
			live,
			mem_format(
				"rings of %llu KiB, not %llu KiB, for each CPU: RLIMIT_MEMLOCK and "
				"kernel.perf_event_mlock_kb allow no more; a fast program may lose "
				"events (sysctl kernel.perf_event_mlock_kb=%llu allows them)",
				(unsigned long long)(size >> 10), (unsigned long long)(want >> 10),
				(unsigned long long)((want >> 10) + 4)));
}

static int map_for(struct live *live, pid_t tid, struct error *err)
{
	uint64_t want = ring_want(live);
	uint64_t least = want < RING_LEAST ? want : RING_LEAST;
	int code = perf_set_map(&live->set, tid, want, least, err);

	if (!code)
		code = perf_set_open(&live->set, tid, err);
	if (!code)
		remark_rings(live, want);
	return code;
}

/* Threads whose FORK is in a ring already inherited the events of their creator. */
static void find_inherited(struct live *live, struct map *known)
{
	for (uint32_t cpu = 0; cpu < live->set.cpus && live->set.ring; cpu++) {
		const struct perf_ring *ring = &live->set.ring[cpu];
		const struct perf_event_header *record;
		uint64_t at = ring->page ? perf_ring_tail(ring) : 0,
			 head = ring->page ? perf_ring_head(ring) : 0;

		while ((record = perf_ring_next(ring, &at, head, live->scratch)) != NULL) {
			uint32_t word[4]; /* pid, ppid, tid, ptid */

			if (record->type != PERF_RECORD_FORK ||
			    record->size < sizeof(*record) + sizeof(word))
				continue;
			memcpy(word, record + 1, sizeof(word));
			map_set(known, word[2], 0);
		}
	}
}

static int attach_thread(struct live *live, pid_t tid, struct error *err)
{
	int code = live->set.threads ? perf_set_open(&live->set, tid, err)
				     : map_for(live, tid, err);

	if (!code)
		perf_set_enable_task(&live->set); /* from here on its new threads are in the ring */
	return code == -ESRCH ? 0 : code;
}

/* Attaches to the threads of a process that are not known yet. Returns how many were new, or -errno. */
static int attach_pass(struct live *live, uint32_t pid, struct map *known, struct error *err)
{
	struct procfs_numbers tids = {0};
	int fresh = 0, code = 0;

	if (procfs_list(&live->proc, &tids, UINT32_MAX, "%u/task", pid))
		return 0;
	find_inherited(live, known);
	for (uint32_t i = 0; i < tids.count && !code; i++) {
		if (map_get(known, tids.at[i]) != MAP_NONE)
			continue;
		map_set(known, tids.at[i], 0);
		code = attach_thread(live, (pid_t)tids.at[i], err);
		fresh++;
	}
	procfs_numbers_release(&tids);
	return code ? code : fresh;
}

/* Until a pass over all processes finds no new thread. */
static int attach(struct live *live, struct error *err)
{
	struct map known = {0};
	int fresh = 1;

	for (int pass = 0; pass < ATTACH_PASSES && fresh > 0; pass++) {
		fresh = 0;
		for (uint32_t i = 0; i < live->pids && fresh >= 0; i++) {
			int found = attach_pass(live, live->pid[i], &known, err);

			fresh = found < 0 ? found : fresh + found;
		}
	}
	map_release(&known);
	if (fresh < 0)
		return fresh;
	if (!live->set.threads)
		return error_say(err, ESRCH, "process %u: it has ended", live->pid[0]);
	return 0;
}

int live_setup_events(struct live *live, struct error *err)
{
	int code = tracefs_open(&live->tracefs, err);

	if (!code)
		code = find_cpus(live, err);
	if (!code)
		code = add_specs(live, err);
	if (code < 0)
		return code;
	if (live->pids)
		return attach(live, err);
	code = map_for(live, live->command.pid, err);
	return code == -ESRCH ? error_say(err, ESRCH, "the command's process ended before it began")
			      : code;
}

static int describe_events(struct live *live, struct error *err)
{
	for (uint32_t i = 0; i < live->set.specs; i++) {
		const struct perf_spec *spec = &live->set.spec[i];
		const struct capture_event *event;
		uint32_t count;
		uint64_t *id;

		if (spec->is_absent)
			continue;
		id = perf_set_ids(&live->set, i, &count);
		event = capture_info_add_event(&live->info, &spec->attr, spec->name, id, count,
					       err);
		free(id);
		if (!event)
			return -err->code;
	}
	return 0;
}

static int describe_facts(struct live *live, struct error *err)
{
	struct perf_event_attr attr;
	uint64_t id = LIVE_FACT_ID;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	live->fact_event = live->info.events;
	if (!capture_info_add_event(&live->info, &attr, FACT_EVENT_NAME, &id, 1, err))
		return -err->code;
	return 0;
}

static void describe_host(struct live *live)
{
	struct capture_info *info = &live->info;
	struct utsname name = {0};

	uname(&name);
	info->hostname = mem_strdup(name.nodename);
	info->release = mem_strdup(name.release);
	info->machine = mem_strdup(name.machine);
	info->version = mem_strdup(IOTRACE_VERSION);
	info->cmdline = live->options->cmdline ? mem_strdup(live->options->cmdline) : NULL;
	info->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	info->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	info->header_page = tracefs_text(&live->tracefs, "events/header_page", NULL);
	info->header_event = tracefs_text(&live->tracefs, "events/header_event", NULL);
}

/* Where the number of the call and its result or arguments stand comes from the format. */
static int find_offsets(const struct live *live, const char *name, const char *field,
			struct lookup_offsets *offsets, struct error *err)
{
	uint32_t size;

	for (uint32_t i = 0; i < live->info.formats; i++) {
		const char *text = live->info.format[i].text;
		size_t length = strlen(name);

		if (!strncmp(text, "name: ", 6) && !strncmp(text + 6, name, length) &&
		    text[6 + length] == '\n' && tracefs_field(text, "id", &offsets->call, &size) &&
		    size == sizeof(long) && tracefs_field(text, field, &offsets->value, &size) &&
		    size >= sizeof(long))
			return 0;
	}
	return error_say(err, EBADMSG, "tracepoint raw_syscalls:%s: its format has no id or no %s",
			 name, field);
}

static int setup_lookup(struct live *live, struct error *err)
{
	int code;

	lookup_base_init(&live->base, &live->proc);
	code = find_offsets(live, "sys_exit", "ret", &live->base.exit, err);
	if (!code)
		code = find_offsets(live, "sys_enter", "args", &live->base.enter, err);
	for (uint32_t i = 0; i < live->set.specs; i++) {
		const struct capture_event *event = &live->info.event[i];
		enum perf_role role = live->set.spec[i].role;

		if (role != ROLE_OPENER && role != ROLE_PATH)
			continue;
		live->base.layout = &event->layout;
		for (uint32_t j = 0; j < event->ids; j++)
			lookup_add_event(&live->base, event->id[j], role == ROLE_PATH);
	}
	return code;
}

static void setup_lookers(struct live *live)
{
	facts_init(&live->facts, &live->info.event[live->fact_event].layout, LIVE_FACT_ID);
	lookup_init(&live->lookup, &live->base, &live->facts);
	live->looker = mem_array(live->set.cpus, sizeof(*live->looker));
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		looker_init(&live->looker[cpu], &live->set, cpu, &live->base, &live->facts);
	live->lookers = live->set.cpus;
	live->head = mem_array(live->set.cpus, sizeof(*live->head));
}

int live_setup_capture(struct live *live, struct error *err)
{
	int code;

	describe_host(live);
	code = describe_events(live, err);
	if (!code)
		code = describe_facts(live, err);
	return code ? code : setup_lookup(live, err);
}

int live_setup_spool(struct live *live, struct error *err)
{
	uint64_t bound = live->options->buffer_bytes ? live->options->buffer_bytes : 64 << 20;
	struct capture_writer *writer;

	writer = capture_create(live->options->spool_path, &live->info, err);
	if (!writer)
		return -err->code;
	live->spool = spool_new(writer, live->options->spool_path, bound, err);
	if (!live->spool)
		return -err->code;
	setup_lookers(live);
	return 0;
}
