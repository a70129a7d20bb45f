/*
 * rights: the errno of perf_event_open() explains little, so messages name the settings that matter. A message has at most three
 * lines: what the kernel refused, and the commands that would allow it.
 */
#include "rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/capture.h>
#include <iotrace/confine.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Inodes of the first namespaces: include/linux/proc_ns.h, the same in all kernels. */
#define FIRST_USER_NAMESPACE 0xeffffffdU
#define FIRST_PID_NAMESPACE  0xeffffffcU

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define MLOCK_KB "/proc/sys/kernel/perf_event_mlock_kb"
enum { PERFMON = 38 }; /* CAP_PERFMON, which older headers lack */

/* Returns the event as the user wrote it: in a capture, such names have a prefix. */
static const char *plain_name(const char *event)
{
	static const char *const own[] = {CAPTURE_COUNTER_PREFIX, CAPTURE_CHOSEN_PREFIX,
					  CAPTURE_SPAN_PREFIX};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(event, own[i], strlen(own[i])))
			return event + strlen(own[i]);
	return event;
}

static int explain_absent(struct error *err, int code, const char *event, const char *plain)
{
	if (strncmp(event, CAPTURE_COUNTER_PREFIX, strlen(CAPTURE_COUNTER_PREFIX)) != 0)
		return error_say(err, code, "this machine has no event %s", plain);
	error_say(err, code, "-E %s: this machine cannot count it (no such hardware counter)",
		  plain);
	error_hint(
		err,
		"every machine counts page-faults, context-switches and cpu-migrations, for example");
	return -code;
}

long rights_number(const char *path, long otherwise)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t n;

	if (fd < 0)
		return otherwise;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return otherwise;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

bool rights_may_get(unsigned capability)
{
	return prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1;
}

/* setcap needs the real path of the file, not a link or a name in $PATH. */
char *rights_setcap(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	bool is_plain;

	if (n < 0)
		n = snprintf(path, sizeof(path), "iotrace");
	path[n] = '\0';
	is_plain = strspn(path, "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				"0123456789._+-,@:") == (size_t)n;
	return mem_format("setcap cap_bpf,cap_perfmon,cap_dac_read_search%s+ep %s%s%s",
			  rights_may_get(CAP_SYS_NICE) ? ",cap_sys_nice" : "", is_plain ? "" : "'",
			  path, is_plain ? "" : "'");
}

static bool is_in_namespace(const char *path, ino_t inode)
{
	struct stat status;

	return stat(path, &status) || status.st_ino == inode;
}

/* Capabilities that a process gets in another user namespace do not count for the whole machine, which perf and BPF need. */
static bool has_another_user_namespace(void)
{
	return !is_in_namespace("/proc/self/ns/user", FIRST_USER_NAMESPACE);
}

unsigned rights_outer_group(void)
{
	unsigned group = getegid(), from, to, count;
	FILE *map = fopen("/proc/self/gid_map", "re");
	unsigned outer = group;

	while (map && fscanf(map, "%u %u %u", &from, &to, &count) == 3)
		if (group >= from && group - from < count)
			outer = to + (group - from);
	if (map)
		fclose(map);
	return outer;
}

void rights_hint_setcap(struct error *err)
{
	char *command;

	if (has_another_user_namespace()) {
		error_hint(err,
			   "%s iotrace outside of this user namespace, in which no right counts",
			   err && error_next_hint(err, NULL) ? "or run" : "run");
		return;
	}
	command = rights_setcap();
	error_hint(err, "%s everybody who may execute the program record, also with BPF: %s",
		   err && error_next_hint(err, NULL) ? "or let" : "to let", command);
	free(command);
}

/* Settings of tracefs do not help BPF, and of those of perf only one: see rights_takes_admin(). */
int rights_explain_bpf(struct error *err, int code)
{
	char *command;

	error_say(
		err, code,
		"this user may not use BPF, which needs root or capabilities of the program file");
	if (has_another_user_namespace()) {
		rights_hint_setcap(err);
		return -code;
	}
	command = rights_setcap();
	error_hint(err, "as root, for everybody who may execute the program: %s%s", command,
		   rights_takes_admin() ? " && sysctl kernel.perf_event_paranoid=2" : "");
	free(command);
	return -code;
}

/* Returns "; kernel.perf_event_paranoid is 2, which must be at most 1" or similar, or "" if no other setting is in the way. */
static char *name_limits(long paranoid, long most)
{
	return paranoid > most ? mem_format("; kernel.perf_event_paranoid is %ld, which must be at "
					    "most %ld",
					    paranoid, most)
			       : mem_strdup("");
}

long rights_mlock_kb(uint64_t ring)
{
	return (long)((ring + (uint64_t)sysconf(_SC_PAGESIZE)) >> 10);
}

/* Small rings lose events. Otherwise only a remark of the next attempt would say so. */
static bool has_small_rings(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_max != RLIM_INFINITY &&
	       rights_number(MLOCK_KB, 516) < rights_mlock_kb(RIGHTS_RING_DEFAULT);
}

int rights_explain_all(struct error *err, int code, bool is_machine)
{
	long paranoid = rights_number(PARANOID, 2), most = is_machine ? -1 : 1;
	bool is_held = paranoid <= most || confine_may(PERFMON) || confine_may(CAP_SYS_ADMIN);
	char *limits = name_limits(is_held ? most : paranoid, most);
	char *sysctl = is_held ? mem_strdup("")
			       : mem_format(" kernel.perf_event_paranoid=%ld", most);
	char *mlock = has_small_rings() ? mem_format(" kernel.perf_event_mlock_kb=%ld",
						     rights_mlock_kb(RIGHTS_RING_DEFAULT))
					: mem_strdup("");

	error_say(err, code,
		  "this user may not record: tracefs (/sys/kernel/tracing) cannot be read%s",
		  limits);
	error_hint(
		err,
		"as root, for all users of group %u, with perf: mount -o remount,mode=750,gid=%u "
		"/sys/kernel/tracing%s%s%s",
		rights_outer_group(), rights_outer_group(), *sysctl || *mlock ? " && sysctl" : "",
		sysctl, mlock);
	rights_hint_setcap(err);
	free(mlock);
	free(sysctl);
	free(limits);
	return -code;
}

static int explain_refused(struct error *err, int code, const char *event, int tid)
{
	long paranoid = rights_number(PARANOID, 2);

	/* On Debian and Ubuntu kernels, CAP_PERFMON is enough only up to level 2. */
	if (paranoid > 2 && confine_may(PERFMON) && !confine_may(CAP_SYS_ADMIN)) {
		error_say(err, code,
			  "event %s: %s: this kernel lets only root record while "
			  "kernel.perf_event_paranoid is %ld",
			  event, strerror(code), paranoid);
		error_hint(err, "as root: sysctl kernel.perf_event_paranoid=2");
		return -code;
	}
	if (tid == RIGHTS_MACHINE && paranoid >= 0) {
		error_say(
			err, code,
			"event %s of all processes: %s: kernel.perf_event_paranoid is %ld, which must be -1",
			event, strerror(code), paranoid);
		error_hint(
			err,
			"to let any user record the whole machine: sysctl kernel.perf_event_paranoid=-1");
	} else if (paranoid > 1) {
		error_say(err, code, "event %s: %s: kernel.perf_event_paranoid is %ld", event,
			  strerror(code), paranoid);
		error_hint(
			err,
			"to let users record their own programs: sysctl kernel.perf_event_paranoid=1");
	} else if (tid > 0) {
		error_say(
			err, code,
			"event %s of thread %d: %s: it belongs to another user, or has more rights",
			event, tid, strerror(code));
		error_hint(err, "as root, any process can be recorded");
	} else {
		error_say(err, code,
			  "event %s: %s (a security policy, or a container without perf?)", event,
			  strerror(code));
	}
	rights_hint_setcap(err);
	return -code;
}

static int explain_descriptors(struct error *err, int code, const char *event, unsigned long needed)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	error_say(err, code,
		  "event %s: %s: the recording needs about %lu open files, the limit is %llu",
		  event, strerror(code), needed, (unsigned long long)limit.rlim_cur);
	error_hint(err, "allow them: ulimit -n %lu (as root, or with a higher hard limit)", needed);
	return -code;
}

int rights_explain(struct error *err, int code, const char *name, int tid,
		   unsigned long descriptors)
{
	const char *event = plain_name(name);

	switch (code) {
	case EACCES:
	case EPERM:
		return explain_refused(err, code, event, tid);
	case EMFILE:
		return explain_descriptors(err, code, event, descriptors);
	case ENOSYS:
		return error_say(err, code, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	case ENOSPC:
		return error_say(
			err, code,
			"event %s: the hardware has no free counter (is another profiler running?)",
			event);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return explain_absent(err, code, name, event);
	default:
		return error_set(err, code, "event %s: perf_event_open", event);
	}
}

bool rights_takes_admin(void)
{
	return rights_number(PARANOID, 2) > 2;
}

bool rights_sees_all_tasks(void)
{
	return is_in_namespace("/proc/self/ns/pid", FIRST_PID_NAMESPACE);
}
