/* perf_count: queries the events of a recording. */
#include "perf_event.h"

#include <errno.h>
#include <iotrace/capture.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A thread's events are all inherited together, so one of each thread is enough. */
bool perf_set_has_tasks(const struct perf_set *set)
{
	for (uint32_t thread = 0; thread < set->threads; thread++) {
		struct pollfd event = {.fd = set->fd[perf_set_slot(set, thread, 0, 0)]};

		if (event.fd >= 0 && (poll(&event, 1, 0) <= 0 || !(event.revents & POLLHUP)))
			return true;
	}
	return false;
}

/* The programs belong to the tracepoint, so any of its events can be asked. */
uint32_t perf_set_foreign(const struct perf_set *set, uint32_t spec)
{
	struct perf_event_query_bpf query = {.ids_len = 0};
	int fd = set->threads ? set->fd[perf_set_slot(set, 0, spec, 0)] : -1;

	if (fd < 0 || set->spec[spec].attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	/* ENOSPC means that there are programs, but the buffer has no room for their ids */
	if (ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &query) && errno != ENOSPC)
		return 0;
	return query.prog_cnt;
}

struct perf_count perf_set_count(const struct perf_set *set, uint32_t spec)
{
	bool is_group = set->spec[spec].attr.read_format & PERF_FORMAT_GROUP;
	struct perf_count sum = {0};

	for (uint32_t thread = 0; thread < set->threads; thread++) {
		for (uint32_t cpu = 0; cpu < set->cpus; cpu++) {
			uint64_t value[1 + 3 * PERF_SPECS_MAX] = {0};
			int fd = set->fd[perf_set_slot(set, thread, spec, cpu)];

			if (fd < 0 || read(fd, value, sizeof(value)) <= 0)
				continue;
			/*
			 * Of a group, read() returns the number of members, then value, id and lost of the leader. Of a single
			 * event, it has no number.
			 */
			sum.counted += value[is_group ? 1 : 0];
			sum.lost += set->has_lost ? value[is_group ? 3 : 2] : 0;
		}
	}
	return sum;
}

bool perf_set_is_inexact(const struct perf_set *set, uint32_t spec)
{
	static const char *const about_a_task[] = {
		"sched:sched_waking",       "sched:sched_wakeup",     "sched:sched_wakeup_new",
		"sched:sched_stat_wait",    "sched:sched_stat_sleep", "sched:sched_stat_iowait",
		"sched:sched_stat_blocked",
	};
	const char *name = capture_chosen(set->spec[spec].name);

	if (set->target != TARGET_THREAD || set->spec[spec].role != ROLE_CHOSEN || !name)
		return false;
	for (size_t i = 0; i < sizeof(about_a_task) / sizeof(*about_a_task); i++) {
		size_t length = strlen(about_a_task[i]);

		if (!strncmp(name, about_a_task[i], length) &&
		    (!name[length] || name[length] == '='))
			return true;
	}
	return false;
}

uint64_t *perf_set_ids(const struct perf_set *set, uint32_t spec, uint32_t *count)
{
	uint64_t *id = mem_array(set->threads * set->cpus + 1, sizeof(*id));

	*count = 0;
	for (uint32_t thread = 0; thread < set->threads; thread++) {
		for (uint32_t cpu = 0; cpu < set->cpus; cpu++) {
			uint32_t slot = perf_set_slot(set, thread, spec, cpu);

			if (set->fd[slot] >= 0)
				id[(*count)++] = set->id[slot];
		}
	}
	return id;
}
