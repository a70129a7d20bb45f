/* facts: encodes facts and wraps them into samples of the dummy event, which belong to no CPU. */
#include "facts.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { OVERHEAD = 256 }; /* of a sample, beside its raw data; rounded up */

void facts_init(struct facts *facts, const struct sample_layout *layout, uint64_t id)
{
	*facts = (struct facts){.layout = layout, .id = id};
}

void facts_release(struct facts *facts)
{
	free(facts->bytes);
	*facts = (struct facts){0};
}

void facts_clear(struct facts *facts)
{
	facts->size = 0;
}

void facts_move(struct facts *facts, struct facts *from)
{
	if (!from->size)
		return;
	MEM_GROW(facts->bytes, facts->cap, facts->size + from->size);
	memcpy(facts->bytes + facts->size, from->bytes, from->size);
	facts->size += from->size;
	facts_clear(from);
}

/* Returns an upper bound of the encoded size: 8 bytes of head, the numbers, and each string with its length. */
static uint32_t encoded_bound(const struct fact *fact)
{
	uint32_t bound = 8 + 8 * FACT_NUMBERS;

	for (uint32_t i = 0; i < FACT_STRINGS; i++)
		bound += 2 + fact->string[i].length;
	return bound;
}

void facts_add(struct facts *facts, const struct fact *given, uint32_t pid, uint64_t time)
{
	struct fact fact = *given;
	struct sample sample = {.type = PERF_RECORD_SAMPLE,
				.pid = pid,
				.tid = pid,
				.cpu = SAMPLE_CPU_NONE,
				.time = time,
				.id = facts->id};
	uint32_t bound;
	uint8_t *raw;
	size_t size;

	for (uint32_t i = 0; i < FACT_STRINGS; i++)
		if (fact.string[i].length > FACT_STRING_SIZE)
			fact.string[i].length = FACT_STRING_SIZE;
	bound = encoded_bound(&fact);
	MEM_GROW(facts->bytes, facts->cap, facts->size + 2 * bound + OVERHEAD);
	/* The fact is encoded behind the space of the record, and then copied into the record. */
	raw = facts->bytes + facts->size + bound + OVERHEAD;
	size = fact_encode(&fact, raw, bound);
	sample.raw = raw;
	sample.raw_size = (uint32_t)size;
	if (size)
		facts->size += (uint32_t)sample_write(&sample, facts->layout,
						      facts->bytes + facts->size, bound + OVERHEAD);
}

void facts_add_format(struct facts *facts, const char *system, const char *name, const char *text,
		      uint64_t time)
{
	size_t length = strlen(text);
	uint64_t parts = length / FACTS_PART + 1;

	for (uint64_t part = 0; part < parts; part++) {
		size_t at = part * FACTS_PART;
		size_t left = length - at < FACTS_PART ? length - at : FACTS_PART;
		struct fact fact = {
			.kind = FACT_FORMAT,
			.number = {[FACT_FORMAT_part] = part, [FACT_FORMAT_parts] = parts},
			.string = {[FACT_FORMAT_system] = fact_text(system),
				   [FACT_FORMAT_name] = fact_text(name),
				   [FACT_FORMAT_text] = {text + at, (uint32_t)left}}};

		facts_add(facts, &fact, 0, time);
	}
}
