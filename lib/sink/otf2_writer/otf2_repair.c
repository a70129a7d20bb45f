/*
 * otf2_repair: ends an event file after a failed write.
 *
 * A partial write is not continued, and some readers never stop reading a file without an end. There are whole chunks on the disk
 * up to flushed_bytes. The rest is cut off, and a last chunk is appended: it leaves the regions that are open after the whole
 * chunks, and ends the program. A file that the library wrote is replaced by one without events.
 */
#include "otf2.h"
#include "otf2_bytes.h"
#include "otf2_record.h"

#include <errno.h>
#include <iotrace/place.h>
#include <unistd.h>

enum {
	LAST_CHUNK_MOST = HEAD_SIZE + MOST_TIME + NEST_MOST * (1 + MOST_U32) + 2 + MOST_U64 + 2 +
			  PUT_BEYOND
};

/* Builds the last chunk. Returns its size, and adds its events to those of the location. */
static size_t last_chunk(uint8_t chunk[LAST_CHUNK_MOST], struct location *location)
{
	struct nest *nest = &location->flushed;
	uint32_t depth = nest->depth < NEST_MOST ? nest->depth : NEST_MOST;
	uint64_t events = depth + nest->in_program;
	uint8_t *at = put_head(chunk, location->events + 1, location->events + events), *data;

	if (events)
		at = put_fixed(put_u8(at, MARK_TIME), location->flushed_time);
	while (depth)
		at = put_u32(put_u8(at, RECORD_LEAVE), nest->region[--depth]);
	if (nest->in_program) {
		data = put_u8(at, RECORD_PROGRAM_END) + 1;
		at = put_i64(data, OTF2_UNDEFINED_INT64);
		data[-1] = (uint8_t)(at - data);
	}
	location->events += events;
	return (size_t)(put_u8(put_u8(at, MARK_END_OF_FILE), MARK_END_OF_BUFFER) - chunk);
}

static int repair(struct sink *sink, OTF2_LocationRef ref, struct location *location)
{
	int fd = otf2_file_fd(sink, ref);
	uint8_t chunk[LAST_CHUNK_MOST];
	bool is_of_library = sink->is_of_library;
	int code;

	if (fd < 0)
		return fd;
	code = ftruncate(fd, is_of_library ? 0 : (off_t)location->flushed_bytes) ? -errno : 0;
	if (!code && !is_of_library)
		code = place_write_at(fd, chunk, last_chunk(chunk, location),
				      location->flushed_bytes);
	if (close(fd) != 0 && !code)
		code = -errno;
	return !code && is_of_library ? otf2_library_close(sink, location) : code;
}

int otf2_repair(struct sink *sink)
{
	int code = 0;

	for (thread_id t = 0; !code && t < otf2_locations(sink); t++)
		if (sink->location[t].state == LOCATION_CLOSED)
			code = repair(sink, t, &sink->location[t]);
	return code;
}
