/*
 * otf2_program: ProgramBegin and ProgramEnd.
 *
 * ProgramBegin is the first record of its location, but the words of the program may be known later: a process has calls of
 * its own before it executes another program. So the record is put before the others when the first bytes of the file are
 * written.
 */
#include "otf2_record.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* With the number of its words, all of which take their most. */
enum { MOST_PROGRAM = MOST_TIME + 2 + MOST_U32 + 2 * MOST_ATTRIBUTE + 10 + MOST_U32 };

static uint32_t program_most(uint32_t words)
{
	return MOST_PROGRAM + (words + 1) * MOST_U32;
}

/* Its words may be thousands: then the length of the data has 8 bytes. */
static uint8_t *put_program(uint8_t *at, const OTF2_StringRef *word, uint32_t count)
{
	uint32_t most = (count + 1) * MOST_U32;
	uint8_t *data;

	at = put_u8(at, RECORD_PROGRAM_BEGIN);
	data = at + (most < LENGTH_LONG ? 1 : 9);
	at = put_u32(put_u32(data, word[0]), count - 1);
	for (uint32_t i = 1; i < count; i++)
		at = put_u32(at, word[i]);
	if (most < LENGTH_LONG)
		data[-1] = (uint8_t)(at - data);
	else
		put_fixed(put_u8(data - 9, LENGTH_LONG), (uint64_t)(at - data));
	return at;
}

uint8_t *otf2_program_put(struct sink *sink, const struct location *location, uint32_t *size)
{
	const struct model_thread *thread = model_thread(sink->model,
							 (thread_id)(location - sink->location));
	const struct model_process *process = model_process(sink->model, thread->process);
	struct attributes list = {0};
	uint32_t count;
	OTF2_StringRef *word = otf2_words(sink, process, &count);
	uint8_t *record = mem_alloc(program_most(count) + PUT_BEYOND), *at;

	attribute_u64(&list, ATTRIBUTE_PROCESS_ID, process->pid);
	attribute_u64(&list, ATTRIBUTE_THREAD_ID, thread->tid);
	at = put_program(put_attributes(record, &list), word, count);
	*size = (uint32_t)(at - record);
	free(word);
	return record;
}

/* One that is not the first record stands where it comes. */
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
