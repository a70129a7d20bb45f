/*
 * verify_files: whether a file is complete, from its size and the marks of its chunks.
 *
 * A file is a row of chunks of one size, of which only the last may be shorter; each begins with a
 * header mark and the number of its first event, and the last ends with the marks of the end. A
 * file that broke off lacks them, and the library would wait for them for ever.
 */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MARK_END_OF_BUFFER = 1,
	MARK_END_OF_FILE = 2,
	MARK_CHUNK_HEADER = 3,
	HEADER_SIZE = 18,
	EVENT_SIZE = 2, /* no event is smaller */
};

static bool has_header(int fd, uint64_t offset)
{
	uint8_t header[HEADER_SIZE];

	return pread(fd, header, sizeof(header), (off_t)offset) == HEADER_SIZE &&
	       header[0] == MARK_CHUNK_HEADER;
}

/* Returns NULL, or what is wrong. */
static const char *fault(int fd, uint64_t size, uint64_t chunk_size)
{
	uint8_t end[2];

	if (size < HEADER_SIZE + sizeof(end))
		return "is too short";
	/* A full last chunk may have a mark beyond its size. */
	for (uint64_t at = 0; at + 1 < size; at += chunk_size)
		if (!has_header(fd, at))
			return "has a damaged chunk";
	if (pread(fd, end, sizeof(end), (off_t)(size - sizeof(end))) != sizeof(end) ||
	    end[0] != MARK_END_OF_FILE || end[1] != MARK_END_OF_BUFFER)
		return "broke off: it has no end";
	return NULL;
}

/* Returns NULL, or what is wrong with the file of that name in the archive. */
static const char *file_fault(const struct verify *v, const char *name, uint64_t chunk_size,
			      uint64_t *size)
{
	char *path = mem_format("%s/%s", v->dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status = {0};
	const char *wrong = NULL;

	free(path);
	if (fd < 0 || fstat(fd, &status) != 0)
		wrong = strerror(errno);
	else if (chunk_size == 0)
		wrong = "has chunks of no size";
	else
		wrong = fault(fd, (uint64_t)status.st_size, chunk_size);
	*size = (uint64_t)status.st_size;
	if (fd >= 0)
		close(fd);
	return wrong;
}

bool verify_file(struct verify *v, const char *name, uint64_t chunk_size)
{
	uint64_t size;
	const char *wrong = file_fault(v, name, chunk_size, &size);

	if (wrong)
		verify_found(v, "%s: %s", name, wrong);
	else
		v->event_limit += size / EVENT_SIZE;
	return !wrong;
}
