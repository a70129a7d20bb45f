/* otf2_program_record: the record ProgramBegin, with the arguments of the program. */
#include "otf2_attribute.h"
#include "otf2_definition/otf2_text.h"

#include <iotrace/mem.h>
#include <stdlib.h>

/* Maximum size without the arguments, with their number. */
enum { MOST_PROGRAM = MOST_TIME + 2 + MOST_U32 + 2 * MOST_ATTRIBUTE + 10 + MOST_U32 };

static uint32_t program_most(uint32_t words)
{
	return MOST_PROGRAM + (words + 1) * MOST_U32;
}

/* There may be thousands of arguments: then the length of the data has 8 bytes. */
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
	const struct trace_thread *thread = trace_thread(sink->trace,
							 (thread_id)(location - sink->location));
	const struct trace_process *process = trace_process(sink->trace, thread->process);
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
