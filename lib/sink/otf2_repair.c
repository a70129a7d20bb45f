/*
 * otf2_repair: ends an event file of which a write failed.
 *
 * A write that stopped half way is not resumed; and readers loop for ever on a file without an end. Whole chunks stand on the disk up to flushed_bytes; what
 * follows is cut off and an empty last chunk put there: header, and the marks of the end.
 */
#include "otf2.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAST_CHUNK_SIZE = 2 + 8 + 8 + 2 };

static void last_chunk(uint8_t chunk[LAST_CHUNK_SIZE], uint64_t events)
{
	uint64_t first = events + 1;

	chunk[0] = MARK_CHUNK_HEADER;
	chunk[1] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? MARK_LITTLE_ENDIAN : MARK_BIG_ENDIAN;
	memcpy(chunk + 2, &first, 8);
	memcpy(chunk + 10, &events, 8);
	chunk[18] = MARK_END_OF_FILE;
	chunk[19] = MARK_END_OF_BUFFER;
}

int otf2_repair(const struct sink *sink, OTF2_LocationRef ref, const struct location *location)
{
	char *path = mem_format("%s/traces/%" PRIu64 ".evt", sink->part, (uint64_t)ref);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	uint8_t chunk[LAST_CHUNK_SIZE];
	int code = 0;

	free(path);
	if (fd < 0)
		return -errno;
	last_chunk(chunk, location->flushed_events);
	if (ftruncate(fd, (off_t)location->flushed_bytes) != 0 ||
	    pwrite(fd, chunk, sizeof(chunk), (off_t)location->flushed_bytes) != sizeof(chunk))
		code = errno ? -errno : -EIO;
	if (close(fd) != 0 && !code)
		code = -errno;
	return code;
}
