/* capture_io: reads bytes that a capture must have. */
#include <iotrace/error.h>

#include <errno.h>
#include <unistd.h>

#include "capture_private.h"

/* Returns the number of bytes; it is less than `size` only at the end of the file. */
static ssize_t read_at(int fd, uint64_t offset, void *out, size_t size)
{
	size_t done = 0;

	if (offset > INT64_MAX - size)
		return 0;
	while (done < size) {
		ssize_t n = pread(fd, (uint8_t *)out + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int capture_read_exactly(const struct capture *capture, uint64_t offset, void *out, size_t size,
			 struct error *err)
{
	ssize_t n = read_at(capture->fd, offset, out, size);

	if (n < 0)
		return error_set(err, (int)-n, "read");
	if ((size_t)n < size)
		return error_say(err, EBADMSG,
				 "is truncated: it should have %zu bytes at offset %llu", size,
				 (unsigned long long)offset);
	return 0;
}
