/*
 * otf2_space: space on the disk.
 *
 * Nothing may fail for lack of space while the archive is being ended, because an archive without definitions and anchor is
 * useless. So events stop while there is still space for everything in memory, and a reserve file holds the space for what is
 * written at the end. The file also counts against quotas, which statvfs() does not show. It is deleted just before its space is
 * needed.
 */
#include "otf2.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define RESERVE_FILE ".reserve"

enum {
	KEEP_SHARE = 50,              /* by default, 2 % stay free, */
	KEEP_MOST = 64 * 1024 * 1024, /* but not more than this */
	FILE_BYTES = 4096,            /* a small file needs a block */
	DEFINITION_BYTES = 160,   /* mean size of a file or handle with its name and properties */
	FIXED_BYTES = 128 * 1024, /* anchor, regions, metrics, markers */
};

void space_open(struct space *space, int directory, uint64_t keep)
{
	struct statvfs fs;

	space->directory = directory;
	space->keep = keep;
	if (!keep && fstatvfs(directory, &fs) == 0) {
		space->keep = (uint64_t)fs.f_blocks * fs.f_frsize / KEEP_SHARE;
		if (space->keep > KEEP_MOST)
			space->keep = KEEP_MOST;
	}
}

uint64_t space_with_margin(uint64_t bytes)
{
	return bytes + bytes / 4;
}

uint64_t space_free(const struct space *space)
{
	struct statvfs fs;

	if (fstatvfs(space->directory, &fs) != 0)
		return 0;
	return (uint64_t)fs.f_bavail * fs.f_frsize + space->reserved;
}

uint64_t space_room(const struct space *space)
{
	struct statvfs fs;

	/* unknown: the writes themselves will show it. */
	if (fstatvfs(space->directory, &fs) != 0)
		return UINT64_MAX;
	uint64_t free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;

	return free_bytes > space->keep ? free_bytes - space->keep : 0;
}

int space_reserve(struct space *space, uint64_t bytes)
{
	if (bytes <= space->reserved)
		return 0;
	int fd = openat(space->directory, RESERVE_FILE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			0600);

	if (fd < 0)
		return -errno;
	space->has_file = true;
	/* Reserves more than requested, because this is called often. */
	int code = posix_fallocate(fd, 0, (off_t)space_with_margin(bytes));

	close(fd);
	if (code == 0)
		space->reserved = space_with_margin(bytes);
	/* The file system does not support it, or limits the size of a file: the writes themselves will show it. */
	return code == EOPNOTSUPP || code == EINVAL || code == EFBIG ? 0 : -code;
}

void space_release(struct space *space)
{
	if (space->has_file)
		unlinkat(space->directory, RESERVE_FILE, 0);
	space->has_file = false;
	space->reserved = 0;
}

uint64_t otf2_space_of_end(const struct sink *sink)
{
	const struct trace *trace = sink->trace;
	uint64_t definitions = (uint64_t)trace_files(trace) + trace_handles(trace) +
			       trace_processes(trace) + trace_threads(trace);

	return FIXED_BYTES + definitions * DEFINITION_BYTES +
	       (uint64_t)trace_threads(trace) * FILE_BYTES;
}

/* There must be space for everything in memory, for what is written at the end, and for what comes until the next check. */
__attribute__((noinline, cold)) static void look_at_disk(struct sink *sink, uint64_t time)
{
	uint64_t end = otf2_space_of_end(sink);
	uint64_t pending = (uint64_t)sink->open *
			   (sink->is_of_library ? WRITE_SIZE + CHUNK_SIZE : WRITE_SIZE);

	sink->unchecked = 0;
	int code = space_reserve(&sink->space, end);

	if (code)
		otf2_stop(sink, -code, time);
	else if (space_room(&sink->space) < pending + CHECK_BYTES)
		otf2_stop(sink, ENOSPC, time);
}

void otf2_check_space(struct sink *sink, uint64_t time)
{
	if (sink->unchecked >= CHECK_BYTES)
		look_at_disk(sink, time);
}
