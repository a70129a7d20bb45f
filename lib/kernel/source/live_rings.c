#include "live_rings.h"

#include "perf/hotplug.h"
#include "rights/rights.h"
#include "state/live_state.h"

#include <errno.h>
#include <iotrace/log.h>
#include <string.h>
#include <unistd.h>

enum {
	RING_SPARE = 256 << 10, /* size of a ring for a CPU that may come online */
	RAM_SHARE = 16,
	RAM_SHARE_SPARE = 64,
};

int live_find_cpus(struct live *live, struct error *err)
{
	char text[4096];

	ssize_t length = procfs_read(&live->sys, text, sizeof(text), "devices/system/cpu/online");

	if (length < 0)
		return error_set(err, (int)-length, "cannot read /sys/devices/system/cpu/online");
	live->hotplug_fd = hotplug_open();
	if (live->hotplug_fd < 0)
		log_debug("hotplug of CPUs is not watched: %s", strerror(-live->hotplug_fd));
	if (perf_set_cpus(&live->set, text))
		return error_say(err, EBADMSG,
				 "/sys/devices/system/cpu/online: \"%s\" is not a list of CPUs",
				 text);
	if (procfs_read(&live->sys, text, sizeof(text), "devices/system/cpu/present") < 0 ||
	    perf_set_spares(&live->set, text))
		log_debug("which CPUs may come is not known");
	return 0;
}

static uint64_t ram_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t live_ring_spare(const struct live *live)
{
	uint64_t size = live_ring_want(live) < RING_SPARE ? live_ring_want(live) : RING_SPARE;
	uint64_t spares = live->set.cpus - live->set.online;

	while (size > LIVE_RING_LEAST && size * spares > ram_bytes() / RAM_SHARE_SPARE)
		size /= 2;
	return size;
}

uint64_t live_ring_want(const struct live *live)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t ram = ram_bytes();
	uint64_t asked = live->recording->ring_bytes;
	uint64_t size = page;

	if (!asked) {
		asked = RIGHTS_RING_DEFAULT;
		while (asked > LIVE_RING_LEAST && asked * live->set.online > ram / RAM_SHARE)
			asked /= 2;
	}
	while (size < asked && size < (uint64_t)1 << 40)
		size *= 2;
	return size;
}

/*
 * Ring buffers are locked memory. A size that does not fit into memory is a mistake of the user, so it is refused instead of
 * reduced.
 */
int live_check_ring(const struct live *live, struct error *err)
{
	uint64_t ram = ram_bytes();
	uint64_t most = ram / 2 / (live->set.online ? live->set.online : 1);

	if (live->recording->ring_bytes <= most)
		return 0;
	return error_say(
		err, EINVAL,
		"-m: a ring of %llu MiB for each of %u CPUs does not fit: this machine has "
		"%llu MiB of memory; at most %lluM",
		(unsigned long long)(live->recording->ring_bytes >> 20), live->set.online,
		(unsigned long long)(ram >> 20), (unsigned long long)(most >> 20));
}
