/* live_setup: opens the events of a recording for its tasks, and describes them in the capture. */
#include "live_setup.h"

#include "host/cgroup.h"
#include "live_events.h"
#include "load/bpf_source.h"
#include "rights/rights.h"
#include "source/live_attach.h"
#include "source/live_block.h"
#include "source/live_bpf.h"
#include "source/live_rings.h"
#include "source/live_span.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/trim.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef IOTRACE_VERSION
#define IOTRACE_VERSION "unknown"
#endif

enum { BUFFER_DEFAULT = 64 << 20, KEPT_SHARE = 16, STEP_SHARE = 32 };

static int attach_pids(struct live *live, struct error *err)
{
	const struct number_list *pids = &live->recording->pids;
	int code = live_attach(live, pids->item, pids->count, err);

	if (!code && !live->set.threads)
		return error_say(err, ESRCH, "process %u has ended", pids->item[0]);
	return code;
}

int live_setup_cgroups(struct live *live, struct error *err)
{
	const struct text_list *cgroups = &live->recording->cgroups;

	live->cgroup = mem_array(cgroups->count, sizeof(*live->cgroup));
	for (uint32_t i = 0; i < cgroups->count; i++) {
		int fd = cgroup_open(&live->proc, cgroups->item[i], err);

		if (fd < 0)
			return fd;
		live->cgroup[live->cgroups++] = fd;
		for (uint32_t j = 0; j < i; j++)
			if (cgroup_overlap(fd, live->cgroup[j]))
				return error_say(
					err, EINVAL,
					"--cgroup: %s and %s: one contains the other; give only "
					"the outer one",
					cgroups->item[j], cgroups->item[i]);
	}
	return 0;
}

/* Returns false if the kernel cannot filter by one of the groups (cgroup v1 without perf_event). */
static bool are_cgroups_recordable(struct live *live)
{
	for (uint32_t i = 0; i < live->cgroups; i++) {
		if (cgroup_is_recordable(live->cgroup[i]))
			continue;
		live_add_remark(
			live,
			mem_format("cgroup %s: the kernel cannot filter by this hierarchy (it has "
				   "no perf_event), so iotrace records the processes that are in "
				   "the group now, and their new children",
				   live->recording->cgroups.item[i]));
		return false;
	}
	return true;
}

static int open_for_cgroups(struct live *live, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < live->cgroups && !code; i++)
		code = i ? perf_set_open(&live->set, live->cgroup[i], err)
			 : live_open_events(live, live->cgroup[i], err);
	return code;
}

static int attach_cgroups(struct live *live, struct error *err)
{
	struct number_list pids = {0};
	int code;

	live_cgroup_processes(live, &pids);
	code = live_attach(live, pids.item, pids.count, err);
	number_list_release(&pids);
	if (!code && !live->set.threads)
		return error_say(err, ESRCH, "cgroup %s has no processes",
				 live->recording->cgroups.item[0]);
	return code;
}

/* perf no longer finds the process, but it may still be ending. Returns whether it has ended, after at most one second. */
static bool command_is_gone(struct live *live)
{
	const struct timespec moment = {.tv_nsec = 10000000};

	for (int i = 0; i < 100 && live_command_runs(live); i++)
		nanosleep(&moment, NULL);
	return !live_command_runs(live);
}

/* Ctrl-C also reaches the waiting child, which has no handler. */
int live_explain_gone(struct live *live, struct error *err)
{
	bool is_killed = command_is_gone(live) && WIFSIGNALED(live->command.status);

	if (is_killed && WTERMSIG(live->command.status) == SIGINT)
		return error_say(err, EINTR, "interrupted before the command began");
	if (is_killed)
		return error_say(err, ESRCH, "signal %d ended the command before it began",
				 WTERMSIG(live->command.status));
	return error_say(err, ESRCH, "the command's process ended before it began");
}

static int open_events(struct live *live, struct error *err)
{
	int code;

	if (live->set.target == TARGET_CGROUP)
		return open_for_cgroups(live, err);
	if (live->set.target == TARGET_EVERYBODY)
		return live_open_events(live, PERF_EVERYBODY, err);
	if (live->cgroups)
		return attach_cgroups(live, err);
	if (live->pid_fds)
		return attach_pids(live, err);
	code = live_open_events(live, live->host ? live->placeholder.pid : live->command.pid, err);
	return code == -ESRCH ? live_explain_gone(live, err) : code;
}

/* What the kernel refuses to count is recorded. BPF programs were opened only to count, so they are opened again. */
static int record_uncounted(struct live *live, struct error *err)
{
	int code;

	if (!live->recording->records_uncounted || !live->bpf.source || live_span_counts_all(live))
		return 0;
	live->uncounted = *live->recording;
	live->uncounted.is_without_calls = live->uncounted.are_all_counted = false;
	live->recording = &live->uncounted;
	live_span_give_up(live);
	bpf_source_close(live->bpf.source);
	live->bpf.source = NULL;
	code = live_bpf_open(live, err);
	return code || live->bpf.source ? code : error_say(err, ENOTSUP, "%s", live->bpf.why);
}

/* In a pid namespace, all tasks outside have the number 0, so their calls cannot be distinguished. */
static int check_namespace(const struct live *live, struct error *err)
{
	if (!live->recording->is_system || live->cgroups || rights_sees_all_tasks())
		return 0;
	error_say(err, ENOTSUP,
		  "-a: in a container with its own process ids, processes outside it have no ids, "
		  "so their calls cannot be told apart");
	error_hint(err, "record a command, processes (-p) or a control group (--cgroup) here, or "
			"everything from outside the container: nsenter -t 1 -p iotrace -a");
	return -ENOTSUP;
}

/* Events of block requests, and of some spans, occur in any task. */
static bool is_of_machine(const struct recording *recording)
{
	return recording->is_system || recording_asks_for_blocks(recording) ||
	       recording->everywhere.count;
}

int live_setup_events(struct live *live, struct error *err)
{
	int code = check_namespace(live, err);

	if (code)
		return code;
	code = tracefs_open(&live->tracefs, err);
	if (code == -EACCES || code == -EPERM)
		return live->recording->source == SOURCE_BPF
			       ? rights_explain_bpf(err, -code)
			       : rights_explain_all(err, -code, is_of_machine(live->recording));
	if (!code)
		code = uprobes_open(&live->uprobes, &live->tracefs, &live->recording->probes, err);
	if (!code)
		code = live_find_cpus(live, err);
	if (!code)
		code = live_check_ring(live, err);
	if (code)
		return code;
	if (live->recording->is_system && !live->cgroups)
		live->set.target = TARGET_EVERYBODY;
	else if (live->recording->is_system && are_cgroups_recordable(live))
		live->set.target = TARGET_CGROUP;
	live->set.spare_bytes = live_ring_spare(live);
	code = live_bpf_open(live, err);
	if (!code)
		code = live_block_find_devices(live, err);
	if (!code)
		code = live_busy_open(live, err);
	if (!code) {
		live_span_open(live);
		code = record_uncounted(live, err);
	}
	if (!code) {
		live_block_open(live);
		code = live_add_events(live, err);
	}
	if (code >= 0)
		code = open_events(live, err);
	return code < 0 ? code : live_bpf_attach(live, err);
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

/* Finds the offsets of the call number and of its result or arguments in the format. */
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
	live->base.uid = live->recording->users.ids.item;
	/* BPF programs see the user of each call, so look-ups need no check. */
	live->base.uids = live->bpf.source ? 0 : live->recording->users.ids.count;
	if (live->bpf.source) /* the records contain all names */
		return 0;
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
			lookup_add_event(&live->base, event->id[j], role);
	}
	return code;
}

static void setup_lookup_threads(struct live *live)
{
	facts_init(&live->facts, &live->info.event[live->fact_event].layout, LIVE_FACT_ID);
	lookup_init(&live->lookup, &live->base, &live->facts);
	live->lookup_thread = mem_array(live->set.cpus, sizeof(*live->lookup_thread));
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		lookup_thread_init(&live->lookup_thread[cpu], &live->set, cpu, &live->base,
				   &live->facts);
	live->lookup_threads = live->set.cpus;
	live->head = mem_array(live->set.cpus, sizeof(*live->head));
}

int live_setup_capture(struct live *live, struct error *err)
{
	int code;

	describe_host(live);
	code = describe_events(live, err);
	if (!code)
		code = describe_facts(live, err);
	if (!code)
		code = live_bpf_describe(live, err);
	return code ? code : setup_lookup(live, err);
}

/* A file in memory: its writer and its readers are those of any capture. */
static struct capture_writer *create_in_memory(struct live *live, struct error *err)
{
	int fd = memfd_create("iotrace-spool", MFD_CLOEXEC);

	live->spool_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (live->spool_fd >= 0)
		return capture_create_in(fd, live->options->spool_path, &live->info, err);
	error_set(err, errno, "cannot create a file in memory");
	if (fd >= 0)
		close(fd);
	return NULL;
}

static struct capture_writer *create_spool(struct live *live, struct error *err)
{
	const struct live_options *options = live->options;
	int fd;

	if (options->memory)
		return create_in_memory(live, err);
	if (!options->place)
		return capture_create(options->spool_path, &live->info, err);
	fd = place_create(options->place, PLACE_SPOOL);
	if (fd >= 0)
		return capture_create_in(fd, options->spool_path, &live->info, err);
	error_set(err, -fd, "cannot create %s", options->spool_path);
	return NULL;
}

/* With --limit, the spool gets a small share of the space, so that most is left for the archive. */
static struct trim_sizes trim_sizes(uint64_t limit)
{
	const struct trim_sizes most = {TRIM_KEPT, TRIM_STEP};
	struct trim_sizes sizes = {limit / KEPT_SHARE, limit / STEP_SHARE};

	if (!limit)
		return most;
	if (sizes.kept > most.kept)
		sizes.kept = most.kept;
	if (sizes.step > most.step)
		sizes.step = most.step;
	return sizes;
}

int live_setup_spool(struct live *live, struct error *err)
{
	const struct live_options *options = live->options;
	uint64_t asked = live->recording->buffer_bytes;
	uint64_t bound = asked ? asked : BUFFER_DEFAULT;
	int dir = options->memory ? -1 : options->place ? place_dir(options->place) : AT_FDCWD;
	struct capture_writer *writer = create_spool(live, err);

	if (!writer)
		return -err->code;
	live->spool = spool_new(writer, dir, bound, err);
	if (!live->spool)
		return -err->code;
	if (options->memory)
		spool_limit(live->spool, options->memory);
	else if (!options->is_spool_kept)
		spool_trim(live->spool, trim_sizes(options->disk_limit));
	setup_lookup_threads(live);
	return 0;
}
