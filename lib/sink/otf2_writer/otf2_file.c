/*
 * otf2_file: the event file of a location.
 *
 * A file consists of chunks of one size; only the last may be shorter. A chunk begins with a header that contains the numbers of
 * its first and its last event; the latter is known when the chunk ends, and is written then. A record never crosses the end of a
 * chunk, whose rest is filled up. The first record of a chunk has its time before it, so that a reader can begin there.
 *
 * Invariant: [buffer, at) goes to offset `written` of the file; the current chunk began at flushed_bytes.
 */
#include "otf2.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	/* Room for WRITE_SIZE, a record beyond it, and the rest of a chunk that was too small for one. */
	BUFFER_SIZE = 128 * 1024,
	SPARE_MOST = 32, /* free buffers that are kept for the next locations */
	/* Maximum number of files that stay open; others are opened for each write. */
	FILES_MOST = 256,
	FILES_OF_OTHERS = 64, /* number of descriptors for the rest of the program */
};

struct buffer {
	struct buffer *next; /* next free buffer */
	uint8_t bytes[BUFFER_SIZE + PUT_BEYOND];
};

static struct buffer *buffer_take(struct sink *sink)
{
	struct buffer *buffer = sink->buffers;

	sink->open++;
	if (!buffer)
		return mem_alloc(sizeof(*buffer));
	sink->buffers = buffer->next;
	sink->spare--;
	return buffer;
}

static void buffer_give(struct sink *sink, struct buffer *buffer)
{
	sink->open--;
	if (sink->spare == SPARE_MOST) {
		free(buffer);
		return;
	}
	buffer->next = sink->buffers;
	sink->buffers = buffer;
	sink->spare++;
}

uint32_t otf2_files_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FILES_MOST + FILES_OF_OTHERS)
		return FILES_MOST;
	return limit.rlim_cur > FILES_OF_OTHERS ? (uint32_t)limit.rlim_cur - FILES_OF_OTHERS : 0;
}

enum { FILE_NAME_SIZE = 48 };

static const char *file_name(char name[FILE_NAME_SIZE], OTF2_LocationRef ref)
{
	snprintf(name, FILE_NAME_SIZE, "traces/%" PRIu64 ".evt", (uint64_t)ref);
	return name;
}

int otf2_file_rename(const struct sink *sink, OTF2_LocationRef from, OTF2_LocationRef to)
{
	char old[FILE_NAME_SIZE], new[FILE_NAME_SIZE];

	return renameat(sink->directory, file_name(old, from), sink->directory, file_name(new, to))
		       ? -errno
		       : 0;
}

int otf2_file_fd(const struct sink *sink, OTF2_LocationRef ref)
{
	char name[FILE_NAME_SIZE];
	int fd = openat(sink->directory, file_name(name, ref),
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int file_reach(struct sink *sink, struct location *location)
{
	int fd;

	if (location->fd >= 0)
		return 0;
	fd = otf2_file_fd(sink, (OTF2_LocationRef)(location - sink->location));
	if (fd < 0)
		return fd;
	location->fd = fd;
	sink->files++;
	return 0;
}

/* Network file systems report a full disk only here. */
static int file_leave(struct sink *sink, struct location *location)
{
	int fd = location->fd;

	if (fd < 0)
		return 0;
	location->fd = -1;
	sink->files--;
	return close(fd) == 0 ? 0 : -errno;
}

/* Where the archive is given up, locations are still open. */
void otf2_file_release(struct sink *sink)
{
	for (size_t i = 0; i < sink->location_capacity; i++) {
		if (!sink->location[i].buffer)
			continue;
		file_leave(sink, &sink->location[i]);
		buffer_give(sink, sink->location[i].buffer);
	}
	for (struct buffer *next; sink->buffers; sink->buffers = next) {
		next = sink->buffers->next;
		free(sink->buffers);
	}
	sink->spare = 0;
}

/* The buffer has space for all that the arguments of a program may need. */
static void put_program_begin(struct sink *sink, struct location *location)
{
	uint32_t size;
	uint8_t *record = otf2_program_put(sink, location, &size);
	uint8_t *first = location->buffer->bytes + HEAD_SIZE;

	memmove(first + MOST_TIME + size, first, (size_t)(location->at - first));
	memcpy(put_fixed(put_u8(first, MARK_TIME), location->begin), record, size);
	location->at += MOST_TIME + size;
	location->is_begin_due = false;
	free(record);
}

static int write_file(struct sink *sink, struct location *location, size_t size)
{
	int code = file_reach(sink, location);

	if (!code)
		code = place_write_at(location->fd, location->buffer->bytes, size,
				      location->written);
	if (!code && sink->files > sink->files_most)
		code = file_leave(sink, location);
	return code;
}

/* Writes the contents of the buffer. */
static int write_out(struct sink *sink, struct location *location)
{
	size_t size;
	int code;

	if (location->is_begin_due)
		put_program_begin(sink, location);
	size = (size_t)(location->at - location->buffer->bytes);
	code = sink->is_of_library ? otf2_library_take(sink, location, location->buffer->bytes)
				   : write_file(sink, location, size);
	if (code)
		return code;
	location->written += size;
	location->at = location->buffer->bytes;
	sink->unchecked += size;
	return 0;
}

/* Writes the number of the last event into the header of the chunk, which may already be in the file. */
static int head_end(struct sink *sink, struct location *location)
{
	int code;

	if (sink->is_of_library)
		return 0;
	if (location->written == location->flushed_bytes) {
		memcpy(location->buffer->bytes + LAST_EVENT_AT, &location->events,
		       sizeof(location->events));
		return 0;
	}
	code = file_reach(sink, location);
	return code ? code
		    : place_write_at(location->fd, (const uint8_t *)&location->events,
				     sizeof(location->events),
				     location->flushed_bytes + LAST_EVENT_AT);
}

static void head_begin(struct location *location)
{
	location->at = put_head(location->buffer->bytes, location->events + 1, 0);
}

/* Returns the remaining size of the chunk. */
static size_t chunk_left(const struct location *location)
{
	size_t buffered = (size_t)(location->at - location->buffer->bytes);

	return CHUNK_SIZE - (size_t)(location->written - location->flushed_bytes) - buffered;
}

static void look_out(struct location *location)
{
	size_t left = chunk_left(location);

	location->soon = location->buffer->bytes + WRITE_SIZE;
	if (left < (size_t)(location->soon - location->at))
		location->soon = location->at + left;
}

static int chunk_turn(struct sink *sink, struct location *location, uint64_t time)
{
	size_t left = chunk_left(location);
	int code = head_end(sink, location);

	memset(location->at, MARK_END_OF_CHUNK, left);
	location->at += left;
	if (!code)
		code = write_out(sink, location);
	if (code)
		return code;
	location->flushed_bytes = location->written;
	if (!sink->is_of_library) { /* only the library can end its own file */
		location->flushed_events = location->events;
		location->flushed_time = location->last_time;
		location->flushed = location->nest;
	}
	head_begin(location);
	location->at = put_fixed(put_u8(location->at, MARK_TIME), time);
	location->last_time = time;
	return 0;
}

__attribute__((noinline, cold)) bool otf2_make_room(struct sink *sink, struct location *location,
						    uint32_t size, uint64_t time)
{
	int code = 0;

	if (location->state == LOCATION_TORN)
		return false;
	if (size >= chunk_left(location))
		code = chunk_turn(sink, location, time);
	else if (size >= (size_t)(location->buffer->bytes + WRITE_SIZE - location->at))
		code = write_out(sink, location);
	if (code) {
		sink->write_code = -code;
		location->state = LOCATION_TORN;
		return false;
	}
	look_out(location);
	otf2_check_space(sink, time);
	return true;
}

void otf2_file_open(struct sink *sink, struct location *location)
{
	location->fd = -1;
	location->buffer = buffer_take(sink);
	location->state = LOCATION_OPEN;
	sink->unchecked += WRITE_SIZE;
	head_begin(location);
	look_out(location);
}

int otf2_file_close(struct sink *sink, struct location *location)
{
	int code = location->state == LOCATION_TORN ? -sink->write_code : 0;

	if (!code) { /* the second mark may be beyond the end of the chunk */
		location->at = put_u8(location->at, MARK_END_OF_FILE);
		location->at = put_u8(location->at, MARK_END_OF_BUFFER);
		code = head_end(sink, location);
	}
	if (!code)
		code = write_out(sink, location);
	int closed = sink->is_of_library ? otf2_library_close(sink, location)
					 : file_leave(sink, location);

	buffer_give(sink, location->buffer);
	location->buffer = NULL;
	location->at = location->soon = NULL;
	return code ? code : closed;
}
