/*
 * otf2_program: ProgramBegin and ProgramEnd.
 *
 * ProgramBegin is the first record of its location, but the arguments of the program may become known later: a process makes
 * calls before it executes another program. So the record is put before the others when the first bytes of the file are written.
 */
#include "otf2_record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Writes a ProgramBegin that is not the first record of its location. */
static bool write_now(struct sink *sink, struct location *location, uint64_t time)
{
	uint32_t size;
	uint8_t *record = otf2_program_put(sink, location, &size);
	bool has_room = size + MOST_TIME < (size_t)(location->soon - location->at) ||
			otf2_make_room(sink, location, size + MOST_TIME, time);

	if (has_room && time > location->last_time) {
		location->at = put_fixed(put_u8(location->at, MARK_TIME), time);
		location->last_time = time;
	}
	if (has_room)
		memcpy(location->at, record, size);
	location->at += has_room ? size : 0;
	free(record);
	return has_room;
}

bool otf2_program_begin(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time)
{
	bool is_first = !location->events;

	(void)event;
	location->nest.in_program = location->had_program = is_first ||
							    write_now(sink, location, time);
	if (!is_first)
		return location->had_program;
	location->is_begin_due = true;
	location->begin = location->last_time = time;
	return true;
}

bool otf2_write_program_end(struct sink *sink, struct location *location, int64_t status,
			    uint64_t time)
{
	static const struct attributes none;
	uint8_t *data = record_begin(sink, location, time, &none, RECORD_PROGRAM_END, MOST_U64);

	location->nest.in_program = false;
	return data && record_end(location, data, put_i64(data, status));
}

bool otf2_program_end(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time)
{
	int status = event->program.exit_status;
	int64_t code = OTF2_UNDEFINED_INT64;

	if (status >= 0)
		code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return otf2_write_program_end(sink, location, code, time);
}
