/* live_lookup_threads: the threads that look into /proc, one for each CPU. */
#include "live_lookup_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int live_start_lookup_threads(struct live *live, struct error *err)
{
	live->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (live->stop_fd < 0)
		return error_set(err, errno, "eventfd");
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++) {
		int code = lookup_thread_start(&live->lookup_thread[cpu], live->stop_fd,
					       live->wake_fd);

		if (code)
			return error_set(err, -code, "thread of CPU %u", live->set.cpu[cpu]);
	}
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		lookup_thread_wait(&live->lookup_thread[cpu]);
	return 0;
}

void live_stop_lookup_threads(struct live *live)
{
	uint64_t one = 1;

	if (!live->lookup_thread || live->stop_fd < 0 ||
	    write(live->stop_fd, &one, sizeof(one)) < 0)
		return;
	for (uint32_t cpu = 0; cpu < live->set.cpus; cpu++)
		lookup_thread_join(&live->lookup_thread[cpu]);
}

void live_release_lookup_threads(struct live *live)
{
	live_stop_lookup_threads(live);
	for (uint32_t cpu = 0; cpu < live->lookup_threads; cpu++)
		lookup_thread_release(&live->lookup_thread[cpu]);
	free(live->lookup_thread);
	live->lookup_thread = NULL;
	live->lookup_threads = 0;
	if (live->stop_fd >= 0)
		close(live->stop_fd);
	live->stop_fd = -1;
}
