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
/* Below this size, the spool does not allow an estimate for the rest. */
enum { CONVERTED_LEAST = 1 << 20 };

/* Time between two checks: less when the limit is near. On a slow file system, it is a multiple of the time that a check takes, unless the
   space could be used up in that time. */
enum { INTERVAL_NS = 20000000, INTERVAL_LEAST_NS = 1000000, LOOKS_SHARE = 20 };
/* Bytes per nanosecond. A conversion sorts for a while and then writes much at once, so a slow growth promises nothing. */
static const double burst = 0.5;

/* Files may come and go meanwhile. Hidden files are the reserve of an archive, whose space its end will use. */
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

		if (*entry->d_name == '.' ||
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

static uint64_t bytes_of(const struct record_places *places, const struct each *each)
{
	const struct place *place[] = {places->place, places->capture_place};
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
		if (place[i])
			bytes += bytes_below(place_dir(place[i]), ".", 0);
	for (uint32_t i = 0; each && each_place(each, i, &place[0]); i++)
		if (place[0])
			bytes += bytes_below(place_dir(place[0]), ".", 0);
	return bytes;
}

/* The unconverted part of the spool will need space in the archive, in proportion to the converted part. */
static uint64_t bytes_to_come(const struct disk_limit *limit, const struct record_places *places,
			      uint64_t bytes)
{
	const struct place *place = record_places_spool(places);
	struct stat spool;
	uint64_t written, blocks;

	if (limit->converted < CONVERTED_LEAST || !place ||
	    fstatat(place_dir(place), PLACE_SPOOL, &spool, AT_SYMLINK_NOFOLLOW))
		return 0;
	written = (uint64_t)spool.st_size;
	blocks = (uint64_t)spool.st_blocks * BLOCK;
	if (written <= limit->converted || bytes <= blocks)
		return 0;
	return (uint64_t)((double)(bytes - blocks) * (double)(written - limit->converted) /
			  (double)limit->converted);
}

/* Returns the time in which half of the remaining space could be used up, if the disk fills as fast as since the last check, or in a burst. */
static uint64_t interval(const struct disk_limit *limit, uint64_t bytes, uint64_t now)
{
	double left = limit->bytes > bytes ? (double)(limit->bytes - bytes) : 0;
	double grown = bytes > limit->before ? (double)(bytes - limit->before) : 0;
	double rate = limit->looked_ns ? grown / (double)(now - limit->looked_ns) : 0;
	double ns = left / 2 / (rate > burst ? rate : burst);

	return ns < INTERVAL_LEAST_NS ? INTERVAL_LEAST_NS
	       : ns > INTERVAL_NS     ? INTERVAL_NS
				      : (uint64_t)ns;
}

bool disk_limit_look(struct disk_limit *limit, const struct record_places *places,
		     const struct each *each)
{
	uint64_t bytes, begun, took, wait;

	if (!limit->bytes || limit->is_reached)
		return limit->is_reached;
	begun = probe_now();
	if (begun < limit->next_ns)
		return false;
	bytes = bytes_of(places, each);
	bytes += bytes_to_come(limit, places, bytes);
	limit->is_reached = bytes >= limit->bytes;
	took = probe_now() - begun;
	wait = interval(limit, bytes, begun);
	if (wait < LOOKS_SHARE * took)
		wait = LOOKS_SHARE * took < 2 * wait ? LOOKS_SHARE * took : 2 * wait;
	limit->next_ns = begun + took + wait;
	limit->looked_ns = begun;
	limit->before = bytes;
	return limit->is_reached;
}
