/*
 * probe: finds out what the machine allows. Each question is a row, with the command that would change the answer.
 *
 * Where possible, it tries the real thing (a real event with a real filter on this process) instead of reading settings.
 */
#include <iotrace/probe.h>

#include "clock.h"
#include "load/bpf_block.h"
#include "load/bpf_source.h"
#include "perf/counter.h"
#include "perf/filter.h"
#include "perf/perf_event.h"
#include "perf/tracefs.h"
#include "perf/uprobes.h"
#include "rights/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/recording.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Numbers of capabilities that older headers lack. */
enum { PERFMON = 38, BPF = 39, IPC_LOCK = 14, SYS_ADMIN = 21, EVENTS = 5, FORMAT_LOST = 1 << 4 };

static void set_text(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void set_text(char *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out, sizeof(((struct probe_result *)NULL)->detail), format, args);
	va_end(args);
}

static void set_setcap(struct probe_result *result)
{
	char *command = rights_setcap();

	set_text(result->remedy, "%s", command);
	free(command);
}

/* The remedy is the command in the first hint. */
static void split(struct probe_result *result, const struct error *err)
{
	const char *hint = error_next_hint(err, NULL);
	const char *command = hint ? strstr(hint, ": ") : NULL;

	set_text(result->detail, "%s", err->text);
	if (command)
		set_text(result->remedy, "%s", command + 2);
}

static void probe_tracefs(struct probe_result *result)
{
	struct error err = {0};
	struct tracefs tracefs;
	char *format = NULL;

	if (!tracefs_open(&tracefs, &err))
		format = tracefs_format(&tracefs, "raw_syscalls", "sys_enter", &err);
	if (format) {
		result->state = PROBE_OK;
		set_text(result->detail, "%s",
			 tracefs.is_detached ? "not mounted; iotrace mounts it only for itself"
					     : "mounted and readable");
	} else {
		split(result, &err);
	}
	free(format);
	tracefs_close(&tracefs);
}

bool probe_takes_admin(void)
{
	return rights_takes_admin();
}

static void probe_paranoid(struct probe_result *result)
{
	long paranoid = rights_number("/proc/sys/kernel/perf_event_paranoid", 99);
	bool may = confine_may(PERFMON) || confine_may(SYS_ADMIN);

	if (paranoid == 99) {
		set_text(result->detail, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
		return;
	}
	result->state = paranoid <= 1 || may ? PROBE_OK : PROBE_MISSING;
	set_text(result->detail, "kernel.perf_event_paranoid is %ld%s", paranoid,
		 may ? "; you may record nevertheless" : "");
	if (result->state != PROBE_OK)
		set_text(result->remedy, "sysctl kernel.perf_event_paranoid=1");
}

/* Opens the most frequent event of a recording, for this process or for all. Returns whether that worked. */
static bool open_exits(struct perf_set *set, enum perf_target target, struct error *err)
{
	struct perf_event_attr attr;
	struct tracefs tracefs;
	char *format;
	int id;

	perf_set_init(set);
	perf_set_cpus(set, "0");
	set->target = target;
	if (tracefs_open(&tracefs, err))
		return false;
	format = tracefs_format(&tracefs, "raw_syscalls", "sys_exit", err);
	tracefs_close(&tracefs);
	if (!format)
		return false;
	id = tracefs_id(format);
	free(format);
	perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, (uint64_t)id);
	attr.sample_period = 1;
	perf_set_add(set, ROLE_EXIT, &attr, "raw_syscalls:sys_exit",
		     filter_calls(FILTER_EXIT, 1U << GROUP_DATA | 1U << GROUP_SYNC),
		     PERF_NO_LEADER);
	return perf_set_open(set, target == TARGET_EVERYBODY ? PERF_EVERYBODY : 0, err) == 0;
}

static void probe_events(struct probe_result *result)
{
	struct error err = {0};
	struct perf_set set;

	if (open_exits(&set, TARGET_THREAD, &err)) {
		result->state = PROBE_OK;
		set_text(
			result->detail,
			"system calls can be recorded, with filters, on one clock with the samples");
	} else {
		split(result, &err);
	}
	perf_set_release(&set);
}

static void probe_machine(struct probe_result *result)
{
	struct error err = {0};
	struct perf_set set;

	if (open_exits(&set, TARGET_EVERYBODY, &err)) {
		result->state = PROBE_OK;
		set_text(result->detail, "all processes can be recorded: iotrace -a");
	} else {
		split(result, &err);
		result->state = PROBE_LIMITED;
	}
	perf_set_release(&set);
}

static void probe_block(struct probe_result *result)
{
	struct error err = {0};
	struct tracefs tracefs;
	char *format = NULL;

	if (!tracefs_open(&tracefs, &err))
		format = tracefs_format(&tracefs, "block", "block_rq_complete", &err);
	tracefs_close(&tracefs);
	if (format)
		set_text(result->detail,
			 "block requests can be recorded, with the rights that -a needs");
	else
		split(result, &err);
	result->state = format ? PROBE_OK : PROBE_LIMITED;
	free(format);
}

static void probe_programs(struct probe_result *result)
{
	struct error err = {0};
	struct tracefs tracefs;
	int code = tracefs_open(&tracefs, &err);

	if (!code)
		code = uprobes_check(&tracefs, &err);
	tracefs_close(&tracefs);
	result->state = code ? PROBE_LIMITED : PROBE_OK;
	if (code)
		split(result, &err);
	else
		set_text(result->detail,
			 "functions and static probes of programs can begin and end spans");
}

static void probe_lost(struct probe_result *result)
{
	struct perf_event_attr attr;
	int fd;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.exclude_kernel = 1;
	attr.read_format |= FORMAT_LOST;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	result->state = fd >= 0 ? PROBE_OK : PROBE_LIMITED;
	set_text(result->detail, "%s",
		 fd >= 0 ? "the kernel counts lost samples for each event"
			 : "lost samples are counted for each ring only (before Linux 6.0)");
	if (fd >= 0)
		close(fd);
}

static void probe_memlock(struct probe_result *result)
{
	long kb = rights_number("/proc/sys/kernel/perf_event_mlock_kb", 516);
	struct rlimit limit = {0};
	long wanted = rights_mlock_kb(RIGHTS_RING_DEFAULT);
	bool may = confine_may(IPC_LOCK);

	getrlimit(RLIMIT_MEMLOCK, &limit);
	result->state = may || limit.rlim_max == RLIM_INFINITY || kb >= wanted ? PROBE_OK
									       : PROBE_LIMITED;
	if (may)
		set_text(result->detail, "rings of any size");
	else if (limit.rlim_max == RLIM_INFINITY)
		set_text(result->detail, "rings of any size (RLIMIT_MEMLOCK is unlimited)");
	else
		set_text(result->detail, "rings of %ld KiB for each CPU, and %llu KiB more in all",
			 kb, (unsigned long long)limit.rlim_max >> 10);
	if (result->state != PROBE_OK)
		set_text(result->remedy, "sysctl kernel.perf_event_mlock_kb=%ld", wanted);
}

static void probe_files(struct probe_result *result)
{
	unsigned long long cpus = (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit = {0};
	unsigned long long needed = EVENTS * cpus + 64;

	getrlimit(RLIMIT_NOFILE, &limit);
	result->state = limit.rlim_max < needed ? PROBE_MISSING : PROBE_OK;
	set_text(result->detail,
		 "%llu open files are allowed: a command, or %llu threads of -p, on %llu CPUs",
		 (unsigned long long)limit.rlim_max,
		 limit.rlim_max < 64 ? 0ULL
				     : (unsigned long long)(limit.rlim_max - 64) / (EVENTS * cpus),
		 cpus);
	if (result->state != PROBE_OK)
		set_text(result->remedy, "ulimit -n %llu", needed);
}

static void probe_clone(struct probe_result *result)
{
	long paranoid = rights_number("/proc/sys/kernel/perf_event_paranoid", 2);
	bool may = paranoid < 0 || confine_may(PERFMON) || confine_may(SYS_ADMIN);

	result->state = may ? PROBE_OK : PROBE_LIMITED;
	set_text(
		result->detail, "%s",
		may ? "what new tasks share is recorded"
		    : "what tasks of clone3() share is unknown; iotrace assumes copied descriptors");
	if (!may)
		set_setcap(result);
}

static struct bpf_source *open_bpf(struct error *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct recording all = {.selection.groups = ~0U};
	const struct bpf_options options = {.recording = &all,
					    .cpu = &(uint32_t){0},
					    .cpus = 1,
					    .ring_bytes = page,
					    .ring_least = page,
					    .id = 1};

	return bpf_source_open(&options, err);
}

static void probe_bpf(struct probe_result *result)
{
	struct error err = {0};
	struct bpf_source *source = open_bpf(&err);

	result->state = source ? PROBE_OK : PROBE_LIMITED;
	if (source)
		set_text(result->detail, "BPF programs record calls with file names, at less cost");
	else
		split(result, &err);
	bpf_source_close(source);
}

static void probe_bpf_block(const struct bpf_source *source, struct probe_result *result)
{
	const struct bpf_block_options options = {.source = source, .id = 2};
	struct error err = {0};
	struct bpf_block *block = bpf_block_open(&options, &err);

	*result = (struct probe_result){.name = "BPF block requests",
					.state = block ? PROBE_OK : PROBE_LIMITED};
	if (block)
		set_text(result->detail,
			 "block requests are identified by address and have their files");
	else
		set_text(result->detail, "recorded with perf: %s", err.text);
	bpf_block_close(block);
}

static void probe_feature(const struct bpf_source *source, enum bpf_feature feature,
			  struct probe_result *result)
{
	const struct bpf_feature_row *row = bpf_feature_row(feature);
	const char *why = bpf_source_feature(source, feature)->why;

	*result = (struct probe_result){.name = row->check,
					.state = *why ? PROBE_LIMITED : PROBE_OK};
	if (*why)
		set_text(result->detail, "%s: %s",
			 row->instead ? "recorded with perf" : "not recorded", why);
	else
		set_text(result->detail, "%s", row->help);
}

/* The optional features of the BPF programs. Returns their number; 0 without BPF. */
static uint32_t probe_features(struct probe_result *result, uint32_t size)
{
	struct error ignored = {0};
	struct bpf_source *source = size > BPF_FEATURES ? open_bpf(&ignored) : NULL;

	if (!source)
		return 0;
	for (uint32_t i = 0; i < BPF_FEATURES; i++)
		probe_feature(source, (enum bpf_feature)i, &result[i]);
	probe_bpf_block(source, &result[BPF_FEATURES]);
	bpf_source_close(source);
	return BPF_FEATURES + 1;
}

/* The rights that a recording drops before the command runs. Nothing is missing without this. */
static void probe_confinement(struct probe_result *result)
{
	result->state = confine_has_filter() ? PROBE_OK : PROBE_LIMITED;
	set_text(
		result->detail, "%s",
		confine_has_filter()
			? "while it records, iotrace has only the rights and system calls that it needs"
			: "capabilities are dropped; this build has no filter of system calls (libseccomp)");
}

static void probe_counters(struct probe_result *result)
{
	char pmu[128];
	int events = counter_pmu(pmu, sizeof(pmu));
	bool has_pmu = access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
		       access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;

	result->state = has_pmu && events ? PROBE_OK : PROBE_LIMITED;
	if (has_pmu && events)
		set_text(result->detail, "%s, %d events", pmu, events);
	else
		set_text(result->detail,
			 "no hardware counters; -E takes software events such as page-faults");
}

static const struct probe {
	const char *name;
	bool is_needed;
	void (*run)(struct probe_result *result);
} probes[] = {
	{"tracefs", true, probe_tracefs},
	{"perf_event_paranoid", true, probe_paranoid},
	{"system calls", true, probe_events},
	{"whole machine", false, probe_machine},
	{"block requests", false, probe_block},
	{"open files", true, probe_files},
	{"locked memory", false, probe_memlock},
	{"lost samples", false, probe_lost},
	{"clone flags", false, probe_clone},
	{"counters", false, probe_counters},
	{"uprobes", false, probe_programs},
	{"confinement", false, probe_confinement},
	{"BPF", false, probe_bpf},
};

uint32_t probe_all(struct probe_result *result, uint32_t size)
{
	uint32_t count = sizeof(probes) / sizeof(probes[0]);

	count = count < size ? count : size;
	confine_raise();
	for (uint32_t i = 0; i < count; i++) {
		result[i] = (struct probe_result){.name = probes[i].name,
						  .state = PROBE_MISSING,
						  .is_needed = probes[i].is_needed};
		probes[i].run(&result[i]);
	}
	count += probe_features(result + count, size - count);
	confine_lower();
	return count;
}

char *probe_setcap(void)
{
	bool may = confine_may(PERFMON) && confine_may(BPF) && confine_may(CAP_DAC_READ_SEARCH) &&
		   (confine_may(CAP_SYS_NICE) || !rights_may_get(CAP_SYS_NICE));

	return may ? NULL : rights_setcap();
}

static int has_call(const struct tracefs *tracefs, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s", name);
	if (!faccessat(tracefs->dir, path, F_OK, AT_EACCESS))
		return 1;
	return errno == ENOENT ? 0 : -1;
}

int probe_call(const struct call_row *row)
{
	struct tracefs tracefs;
	int found;

	confine_raise();
	found = tracefs_open(&tracefs, NULL) ? -1 : has_call(&tracefs, row->name);
	if (!found && call_function(row))
		found = has_call(&tracefs, call_function(row));
	tracefs_close(&tracefs);
	confine_lower();
	return found;
}

uint64_t probe_now(void)
{
	return clock_now();
}

uint64_t probe_realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool probe_is_device(const char *name)
{
	char *path = mem_format("/sys/block/%s", name);
	bool is_device = !access(path, F_OK);

	free(path);
	return is_device;
}

void probe_boot_id(char *id, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file || !fgets(id, (int)size, file))
		*id = '\0';
	id[strcspn(id, "\n")] = '\0';
	if (file)
		fclose(file);
}

void probe_sleep_until(uint64_t time)
{
	const struct timespec at = {.tv_sec = (time_t)(time / 1000000000),
				    .tv_nsec = (long)(time % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

int probe_columns(int fd)
{
	enum { USUAL = 80 }; /* a serial console does not report its width */
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col ? size.ws_col : USUAL;
}

bool probe_has_terminal(int fd)
{
	struct sigaction action;

	return tcgetpgrp(fd) == getpgrp() && !sigaction(SIGINT, NULL, &action) &&
	       action.sa_handler != SIG_IGN;
}
