/* perf_count: what the events of a recording say when they are asked. */
#include "perf_event.h"

#include <errno.h>
#include <iotrace/mem.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* All events of a thread are inherited together: one of each is enough. */
bool perf_set_has_tasks(const struct perf_set *set)
{
	for (uint32_t thread = 0; thread < set->threads; thread++) {
		struct pollfd event = {.fd = set->fd[perf_set_slot(set, thread, 0, 0)]};

		if (event.fd >= 0 && (poll(&event, 1, 0) <= 0 || !(event.revents & POLLHUP)))
			return true;
	}
	return false;
}

/* They belong to the tracepoint: any one of its events can be asked. */
uint32_t perf_set_foreign(const struct perf_set *set, uint32_t spec)
{
	struct perf_event_query_bpf query = {.ids_len = 0};
	int fd = set->threads ? set->fd[perf_set_slot(set, 0, spec, 0)] : -1;

	if (fd < 0 || set->spec[spec].attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	/* ENOSPC: there are some, and no room for their ids was given. */
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
			/* A group: number, then value, id and lost of the leader. Else the same without number. */
			sum.counted += value[is_group ? 1 : 0];
			sum.lost += set->has_lost ? value[is_group ? 3 : 2] : 0;
		}
	}
	return sum;
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
