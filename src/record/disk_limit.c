/* disk_limit: counts blocks, because the spool has holes where it was converted. */
#include "disk_limit.h"

#include "record_places.h"
#include "run/each.h"

#include <dirent.h>
#include <fcntl.h>
#include <iotrace/place.h>
#include <iotrace/probe.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, DEPTH_MOST = 4 };

/* Minimum time between two checks. On a slow file system, it is a multiple of the time that a check takes. */
static const uint64_t interval_ns = 20000000;
enum { LOOKS_SHARE = 20 };

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

/*
 * Data that arrives until the next check takes room, and so does data that is not in the archive yet. Each is about as much as
 * arrived since the last check.
 */
static bool is_near(struct disk_limit *limit, uint64_t bytes)
{
	uint64_t grown = bytes > limit->before ? bytes - limit->before : 0;

	limit->before = bytes;
	return bytes + 2 * grown >= limit->bytes;
}

bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each)
{
	const struct place *place[] = {places->place, places->capture_place};
	uint64_t bytes = 0, begun;

	if (!limit->bytes || limit->is_reached)
		return limit->is_reached;
	begun = probe_now();
	if (begun < limit->next_ns)
		return false;
	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
		if (place[i])
			bytes += bytes_below(place_dir(place[i]), ".", 0);
	for (uint32_t i = 0; each && each_place(each, i, &place[0]); i++)
		if (place[0])
			bytes += bytes_below(place_dir(place[0]), ".", 0);
	limit->next_ns = probe_now();
	limit->next_ns += interval_ns + LOOKS_SHARE * (limit->next_ns - begun);
	limit->is_reached = is_near(limit, bytes);
	return limit->is_reached;
}
