/* bpf_preempt: see bpf_preempt.h. */
#include "bpf_preempt.h"

#include "perf/tracefs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/error.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FIRST_RELEASE = 7 };

static bool is_pretended;

bool bpf_preempt_is_possible(void)
{
	struct utsname name;

	return is_pretended || (!uname(&name) && strtoul(name.release, NULL, 10) >= FIRST_RELEASE);
}

void bpf_preempt_pretend(bool is_possible)
{
	is_pretended = is_possible;
}

/* Returns the number of the tracepoint, or -1 with errno. */
static int id_of(const char *name)
{
	struct tracefs tracefs;
	struct error err = {0};
	char *format = NULL;
	int id;

	if (!tracefs_open(&tracefs, &err)) {
		format = tracefs_format(&tracefs, "raw_syscalls", name, &err);
		tracefs_close(&tracefs);
	}
	id = format ? tracefs_id(format) : -1;
	free(format);
	errno = err.code ? err.code : EINVAL;
	return id;
}

/* An event that is not enabled still runs its programs, on all CPUs, and does nothing else. */
struct bpf_link *bpf_preempt_attach(const struct bpf_program *program, const char *name)
{
	int id = id_of(name), cpu = sched_getcpu(), event;
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = (uint64_t)id,
				       .sample_period = 1,
				       .disabled = 1};
	struct bpf_link *link;

	if (id < 0)
		return NULL;
	event = (int)syscall(SYS_perf_event_open, &attr, -1, cpu < 0 ? 0 : cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return NULL;
	link = bpf_program__attach_perf_event(program, event);
	if (link) /* it was enabled, and owns the event */
		ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	else
		close(event);
	return link;
}
