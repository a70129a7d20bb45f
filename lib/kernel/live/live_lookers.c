/*
 * live_lookers: the threads that look into /proc, one for each CPU.
 */
#include "live_lookers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int live_start_lookers(struct live *live, struct error *err)
{
	live->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (live->stop_fd < 0)
		return error_set(err, errno, "eventfd");
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		int code = looker_start(&live->looker[cpu], live->stop_fd, live->wake_fd);

		if (code)
			return error_set(err, -code, "thread of CPU %u", live->set.cpu[cpu]);
	}
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		looker_wait(&live->looker[cpu]);
	return 0;
}

void live_stop_lookers(struct live *live)
{
	uint64_t one = 1;

	if (!live->looker || live->stop_fd < 0 || write(live->stop_fd, &one, sizeof(one)) < 0)
		return;
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		looker_join(&live->looker[cpu]);
}

void live_release_lookers(struct live *live)
{
	live_stop_lookers(live);
	for (uint32_t cpu = 0; cpu < live->lookers; cpu++)
		looker_release(&live->looker[cpu]);
	free(live->looker);
	live->looker = NULL;
	live->lookers = 0;
	if (live->stop_fd >= 0)
		close(live->stop_fd);
	live->stop_fd = -1;
}
