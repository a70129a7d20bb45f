/*
 * disk_limit: see disk_limit.h. What counts are blocks: the spool has holes where it is converted.
 */
#include "disk_limit.h"

#include "record_places.h"

#include <dirent.h>
#include <fcntl.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, DEPTH_MOST = 4 };

static const uint64_t interval_ns = 100000000;

/* Files may go and come meanwhile. */
static uint64_t bytes_below(int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t bytes = 0;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		struct stat status;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += (uint64_t)status.st_blocks * BLOCK;
		if (S_ISDIR(status.st_mode) && depth < DEPTH_MOST)
			bytes += bytes_below(fd, entry->d_name, depth + 1);
	}
	if (dir)
		closedir(dir);
	return bytes;
}

bool disk_limit_look(struct disk_limit *limit, const struct record_places *places)
{
	const struct place *const place[] = {places->place, places->capture_place};
	uint64_t bytes = 0, now;

	if (!limit->bytes || limit->is_reached)
		return limit->is_reached;
	now = probe_now();
	if (now < limit->next_ns)
		return false;
	limit->next_ns = now + interval_ns;
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
		if (place[i])
			bytes += bytes_below(place_dir(place[i]), ".", 0);
	limit->is_reached = bytes >= limit->bytes;
	return limit->is_reached;
}
