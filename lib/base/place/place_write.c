/* place_write: writes all bytes, even if single writes are short. */
#include "place_private.h"

#include <errno.h>
#include <unistd.h>

/* Offset < 0: the current position of the descriptor. */
static int write_bytes(int fd, const uint8_t *at, size_t size, off_t offset)
{
	while (size) {
		ssize_t done = offset < 0 ? write(fd, at, size) : pwrite(fd, at, size, offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -ENOSPC;
		at += done;
		size -= (size_t)done;
		offset += offset < 0 ? 0 : done;
	}
	return 0;
}

int place_write_all(int fd, const void *bytes, size_t size)
{
	return write_bytes(fd, bytes, size, -1);
}

int place_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	return write_bytes(fd, bytes, size, (off_t)offset);
}
