/*
 * verify_files: whether a file is complete, from its size and the marks of its chunks, and its records can be.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MARK_END_OF_BUFFER = 1,
	END_SIZE = 2,
	EVENT_SIZE = 2, /* no event is smaller */
};

static bool has_header(const uint8_t *chunk, size_t size)
{
	return size >= VERIFY_HEADER_SIZE && chunk[0] == VERIFY_CHUNK_HEADER &&
	       (chunk[1] == VERIFY_BIG_ENDIAN || chunk[1] == VERIFY_LITTLE_ENDIAN);
}

static bool has_end(int fd, uint64_t size)
{
	uint8_t end[END_SIZE];

	return pread(fd, end, END_SIZE, (off_t)(size - END_SIZE)) == END_SIZE &&
	       end[0] == VERIFY_END_OF_FILE && end[1] == MARK_END_OF_BUFFER;
}

/* Reads the file chunk by chunk, into memory for one. */
static void read_chunks(struct reading *reading, int fd, uint64_t size, uint64_t chunk_size,
			enum content content)
{
	uint8_t *chunk = mem_alloc((size_t)(size < chunk_size ? size : chunk_size));
	bool has_more = true;

	/* A full last chunk may have a mark beyond its size. */
	for (uint64_t start = 0; start + 1 < size && !*reading->wrong; start += chunk_size) {
		uint64_t left = size - start;
		size_t length = (size_t)(left < chunk_size ? left : chunk_size);

		if (pread(fd, chunk, length, (off_t)start) != (ssize_t)length ||
		    !has_header(chunk, length)) {
			strcpy(reading->wrong, "has a damaged chunk");
		} else if (has_more) {
			reading->offset = start;
			has_more = verify_records(reading, content, chunk, length);
		}
	}
	if (has_more && !*reading->wrong)
		snprintf(reading->wrong, sizeof(reading->wrong),
			 "byte %" PRIu64 ": a chunk ends, but no other follows", reading->offset);
	free(chunk);
}

bool verify_file(struct verify *v, const char *name, enum content content, uint64_t *events)
{
	const uint64_t chunk_size = content == CONTENT_EVENTS ? v->event_chunk
							      : v->definition_chunk;
	struct reading reading = {0};
	const char *wrong = NULL;
	uint64_t size = 0;
	int fd = verify_open(v, name, &size, &wrong);

	if (fd >= 0) {
		if (size < VERIFY_HEADER_SIZE + END_SIZE)
			wrong = "is too short";
		else if (!has_end(fd, size))
			wrong = "is truncated: it has no end";
		else
			read_chunks(&reading, fd, size, chunk_size, content);
		close(fd);
	}
	if (*reading.wrong)
		wrong = reading.wrong;
	if (events)
		*events = reading.events;
	if (wrong)
		verify_found(v, "%s: %s", name, wrong);
	else
		v->event_limit += size / EVENT_SIZE;
	return !wrong;
}
