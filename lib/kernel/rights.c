/*
 * rights: an errno of perf_event_open() says little, so each is looked at together with the settings that
 * decide it. Three lines at most: what was refused, and the commands that would change it.
 */
#include "rights.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

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

/* Capabilities are of the file itself: no link, no $PATH. */
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
	return mem_format("setcap cap_bpf,cap_perfmon,cap_dac_read_search+ep %s%s%s",
			  is_plain ? "" : "'", path, is_plain ? "" : "'");
}

void rights_hint_setcap(struct error *err)
{
	char *command = rights_setcap();

	error_hint(err, "or the program may, for everybody who runs it: %s", command);
	free(command);
}

static int explain_refused(struct error *err, int code, const char *event, int tid)
{
	long paranoid = rights_number(PARANOID, 2);

	if (tid == RIGHTS_MACHINE && paranoid >= 0) {
		error_say(
			err, code,
			"event %s of all processes: %s: kernel.perf_event_paranoid is %ld, which must be -1",
			event, strerror(code), paranoid);
		error_hint(
			err,
			"any user may record the whole machine with: sysctl kernel.perf_event_paranoid=-1");
	} else if (paranoid > 1) {
		error_say(err, code, "event %s: %s: kernel.perf_event_paranoid is %ld", event,
			  strerror(code), paranoid);
		error_hint(
			err,
			"an ordinary user may record own programs with: sysctl kernel.perf_event_paranoid=1");
	} else if (tid > 0) {
		error_say(
			err, code,
			"event %s of thread %d: %s: it belongs to another user, or has more rights",
			event, tid, strerror(code));
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

int rights_explain(struct error *err, int code, const char *event, int tid,
		   unsigned long descriptors)
{
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
			"event %s: the hardware has no counter left (another profiler runs?)",
			event);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_say(err, code, "event %s: this machine does not have it", event);
	default:
		return error_set(err, code, "event %s: perf_event_open", event);
	}
}
