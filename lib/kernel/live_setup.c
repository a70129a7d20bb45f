/*
 * live_setup: for which tasks the events of a recording are opened, and how its capture describes them.
 */
#include "cgroup.h"
#include "live_private.h"
#include "live_rings.h"
#include "rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <iotrace/trim.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef IOTRACE_VERSION
#define IOTRACE_VERSION "unknown"
#endif

enum {
	RING_OF_TASKS = 1 << 20, /* where it has only the records of tasks */
	ATTACH_PASSES = 8
};

static void remark_rings(struct live *live, uint64_t want)
{
	uint64_t size = live->set.ring[0].size;

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

static void remark_foreign(struct live *live)
{
	for (uint32_t i = 0; i < live->set.specs; i++) {
		const char *name = live->set.spec[i].name;
		uint32_t programs = perf_set_foreign(&live->set, i);
		bool is_told = false;

		for (uint32_t k = 0; k < i; k++)
			is_told |= !strcmp(live->set.spec[k].name, name);
		if (programs && !is_told)
			live_add_remark(live, mem_format("%s: %u BPF program%s of others run%s "
							 "before it is recorded and may keep "
							 "events from us, which nobody counts "
							 "(bpftool perf show lists them)",
							 name, programs, programs > 1 ? "s" : "",
							 programs > 1 ? "" : "s"));
	}
}

static uint64_t perf_ring_want(const struct live *live)
{
	uint64_t want = live_ring_want(live);
	bool has_blocks = live->block != BLOCK_NONE && !live->block_source.programs;

	return live->bpf.source && !has_blocks && want > RING_OF_TASKS ? RING_OF_TASKS : want;
}

static int map_for(struct live *live, pid_t tid, struct error *err)
{
	uint64_t want = perf_ring_want(live);
	uint64_t least = want < LIVE_RING_LEAST ? want : LIVE_RING_LEAST;
	int code = perf_set_map(&live->set, tid, want, least, err);

	if (!code)
		code = perf_set_open(&live->set, tid, err);
	if (!code) {
		remark_rings(live, want);
		remark_foreign(live);
	}
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

int live_attach_pass(struct live *live, uint32_t pid, struct map *known, struct error *err)
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
static int attach(struct live *live, const uint32_t *pid, uint32_t pids, struct error *err)
{
	struct map known = {0};
	int fresh = 1;

	for (int pass = 0; pass < ATTACH_PASSES && fresh > 0; pass++) {
		fresh = 0;
		for (uint32_t i = 0; i < pids && fresh >= 0; i++) {
			int found = live_attach_pass(live, pid[i], &known, err);

			fresh = found < 0 ? found : fresh + found;
		}
	}
	map_release(&known);
	return fresh < 0 ? fresh : 0;
}

static int attach_pids(struct live *live, struct error *err)
{
	int code = attach(live, live->pid, live->pids, err);

	if (!code && !live->set.threads)
		return error_say(err, ESRCH, "process %u: it has ended", live->pid[0]);
	return code;
}

int live_setup_cgroups(struct live *live, struct error *err)
{
	const struct live_options *options = live->options;

	live->cgroup = mem_array(options->cgroups, sizeof(*live->cgroup));
	for (uint32_t i = 0; i < options->cgroups; i++) {
		int fd = cgroup_open(&live->proc, options->cgroup[i], err);

		if (fd < 0)
			return fd;
		live->cgroup[live->cgroups++] = fd;
		for (uint32_t j = 0; j < i; j++)
			if (cgroup_overlap(fd, live->cgroup[j]))
				return error_say(err, EINVAL,
						 "--cgroup: %s and %s: one lies in the other; name "
						 "the outer one",
						 options->cgroup[j], options->cgroup[i]);
	}
	return 0;
}

/* Where the kernel cannot tell a group's tasks apart (a hierarchy of version 1 without perf_event). */
static bool are_cgroups_recordable(struct live *live)
{
	for (uint32_t i = 0; i < live->cgroups; i++) {
		if (cgroup_is_recordable(live->cgroup[i]))
			continue;
		live_add_remark(live,
				mem_format("cgroup %s: the kernel cannot record by this hierarchy "
					   "(it has no perf_event): recorded are the processes "
					   "that are in it now, and their new children",
					   live->options->cgroup[i]));
		return false;
	}
	return true;
}

static int open_for_cgroups(struct live *live, struct error *err)
{
	int code = 0;

	for (uint32_t i = 0; i < live->cgroups && !code; i++)
		code = i ? perf_set_open(&live->set, live->cgroup[i], err)
			 : map_for(live, live->cgroup[i], err);
	return code;
}

void live_cgroup_processes(const struct live *live, struct procfs_numbers *pids)
{
	for (uint32_t i = 0; i < live->cgroups; i++)
		cgroup_processes(live->cgroup[i], pids);
}

static int attach_cgroups(struct live *live, struct error *err)
{
	struct procfs_numbers pids = {0};
	int code;

	live_cgroup_processes(live, &pids);
	code = attach(live, pids.at, pids.count, err);
	procfs_numbers_release(&pids);
	if (!code && !live->set.threads)
		return error_say(err, ESRCH, "cgroup %s: no process is in it",
				 live->options->cgroup[0]);
	return code;
}

/* Ctrl-C reaches the command's process as well, which waits without a handler. */
static int explain_gone(struct live *live, struct error *err)
{
	if (!live_command_runs(live) && WIFSIGNALED(live->command.status) &&
	    WTERMSIG(live->command.status) == SIGINT)
		return error_say(err, EINTR, "interrupted before the command began");
	return error_say(err, ESRCH, "the command's process ended before it began");
}

static int open_events(struct live *live, struct error *err)
{
	int code;

	if (live->set.target == TARGET_CGROUP)
		return open_for_cgroups(live, err);
	if (live->set.target == TARGET_EVERYBODY)
		return map_for(live, PERF_EVERYBODY, err);
	if (live->cgroups)
		return attach_cgroups(live, err);
	if (live->pids)
		return attach_pids(live, err);
	code = map_for(live, live->command.pid, err);
	return code == -ESRCH ? explain_gone(live, err) : code;
}

/* All tasks outside have the number 0 here, so the calls of two look like those of one. */
static int check_namespace(const struct live *live, struct error *err)
{
	if (!live->is_system || live->cgroups || rights_sees_all_tasks())
		return 0;
	error_say(
		err, ENOTSUP,
		"-a: in a container with process ids of its own, the processes outside have none, "
		"so the calls of two look like those of one");
	error_hint(err,
		   "record a command, processes (-p) or a control group (--cgroup) here, or all "
		   "from outside: nsenter -t 1 -p iotrace -a");
	return -ENOTSUP;
}

int live_setup_events(struct live *live, struct error *err)
{
	int code = check_namespace(live, err);

	if (code)
		return code;
	code = tracefs_open(&live->tracefs, err);
	if (code == -EACCES || code == -EPERM)
		return rights_explain_all(err, -code, live->is_system);
	if (!code)
		code = live_find_cpus(live, err);
	if (!code)
		code = live_check_ring(live, err);
	if (code)
		return code;
	if (live->is_system && !live->cgroups)
		live->set.target = TARGET_EVERYBODY;
	else if (live->is_system && are_cgroups_recordable(live))
		live->set.target = TARGET_CGROUP;
	live->set.spare_bytes = live_ring_spare(live);
	code = live_bpf_open(live, err);
	if (!code)
		code = live_add_events(live, err);
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
	live->base.uid = live->uid;
	live->base.uids = live->bpf.source
				  ? 0
				  : live->uids; /* BPF programs see the user of each call */
	if (live->bpf.source)                   /* the records have all the names */
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
	if (!code)
		code = live_bpf_describe(live, err);
	return code ? code : setup_lookup(live, err);
}

static struct capture_writer *create_spool(struct live *live, struct error *err)
{
	const struct live_options *options = live->options;
	int fd;

	if (!options->place)
		return capture_create(options->spool_path, &live->info, err);
	fd = place_create(options->place, PLACE_SPOOL);
	if (fd >= 0)
		return capture_create_in(fd, options->spool_path, &live->info, err);
	error_set(err, -fd, "create %s", options->spool_path);
	return NULL;
}

int live_setup_spool(struct live *live, struct error *err)
{
	const struct live_options *options = live->options;
	uint64_t bound = options->buffer_bytes ? options->buffer_bytes : 64 << 20;
	int dir = options->place ? place_dir(options->place) : AT_FDCWD;
	struct capture_writer *writer = create_spool(live, err);

	if (!writer)
		return -err->code;
	live->spool = spool_new(writer, dir, bound, err);
	if (!live->spool)
		return -err->code;
	if (!options->is_spool_kept)
		spool_trim(live->spool, TRIM_KEPT);
	setup_lookers(live);
	return 0;
}
