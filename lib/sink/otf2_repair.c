/*
 * otf2_repair: ends an event file of which a write failed.
 *
 * A write that stopped half way is not resumed; and readers loop for ever on a file without an end. Whole chunks stand on
 * the disk up to flushed_bytes; what follows is cut off and an empty last chunk put there: header, and the marks of the end.
 */
#include "otf2.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <unistd.h>

enum { LAST_CHUNK_SIZE = HEAD_SIZE + 2 };

static void last_chunk(uint8_t chunk[LAST_CHUNK_SIZE], uint64_t events)
{
	put_u8(put_u8(put_head(chunk, events + 1, events), MARK_END_OF_FILE), MARK_END_OF_BUFFER);
}

int otf2_repair(const struct sink *sink, OTF2_LocationRef ref, const struct location *location)
{
	int fd = otf2_file_fd(sink, ref);
	uint8_t chunk[LAST_CHUNK_SIZE];
	int code;

	if (fd < 0)
		return fd;
	last_chunk(chunk, location->flushed_events);
	code = ftruncate(fd, (off_t)location->flushed_bytes) != 0 ? -errno : 0;
	if (!code)
		code = otf2_write_at(fd, chunk, sizeof(chunk), location->flushed_bytes);
	if (close(fd) != 0 && !code)
		code = -errno;
	return code;
}
