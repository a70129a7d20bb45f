/* stat_publishing: see stat_publishing.h. */
#include "stat_publishing.h"

#include <fcntl.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/probe.h>
#include <iotrace/publication.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { BOOT_ID = 40 };

static const uint64_t ns_per_s = 1000000000;

char *stat_publishing_state(const struct publication *publication, const char *path,
			    const char *boot_id)
{
	uint64_t clock = probe_now(), since = 0;

	if (clock > publication->slot.monotonic)
		since = (clock - publication->slot.monotonic) / ns_per_s;
	switch (publication_state(publication, clock, boot_id)) {
	case PUBLICATION_RUNS:
		break;
	case PUBLICATION_STOPPED:
		return mem_format("iotrace daemon (process %u) has stopped", publication->head.pid);
	case PUBLICATION_UNCOUNTED:
		return mem_format(
			"the process of iotrace daemon (process %u) that counts has ended, so nothing has been counted for %llu s",
			publication->head.pid, (unsigned long long)since);
	case PUBLICATION_SILENT:
		return mem_format(
			"iotrace daemon (process %u) has published nothing for %llu s: it was killed, or it hangs",
			publication->head.pid, (unsigned long long)since);
	case PUBLICATION_OF_ANOTHER_BOOT:
		return mem_format("%s is of a daemon that ran before this machine was started",
				  path);
	}
	return NULL;
}

/* A daemon holds the lock until its end, however that comes. Only root and the user of the daemon can ask. */
static bool is_locked(const char *directory)
{
	char *path = mem_format("%s/lock", directory);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_free = fd >= 0 && !flock(fd, LOCK_SH | LOCK_NB);

	if (fd >= 0)
		close(fd);
	free(path);
	return !is_free;
}

/* Without a slot, it has just begun. */
static void take_newest(const struct publication_file *file, struct publication *now)
{
	if (publication_copy(file, 0, now))
		now->slot.monotonic = probe_now();
}

bool stat_is_publishing(const char *directory, char **why)
{
	char *path = mem_format("%s/stat", directory), boot_id[BOOT_ID];
	struct publication now = {0};
	struct error err = {0};
	struct publication_file *file = publication_open(path, PUBLICATION_MAGIC,
							 sizeof(struct publication_row), &err);

	*why = NULL;
	probe_boot_id(boot_id, sizeof(boot_id));
	if (file) {
		take_newest(file, &now);
		*why = stat_publishing_state(&now, path, boot_id);
		if (!*why && !is_locked(directory))
			*why = mem_format("iotrace daemon (process %u) was killed", now.head.pid);
	}
	publication_release(&now);
	publication_close(file);
	free(path);
	return !*why;
}
