/*
 * sample_write: builds a record. It is the inverse of sample_parse().
 *
 * It is used for facts, which no kernel writes, and for tests. Fields that struct sample lacks are written as 0 or empty, so
 * every readable layout can be written. Raw data is padded as the kernel does it: its size and its bytes together are a multiple
 * of eight.
 */
#include <iotrace/sample.h>

#include "sample_bits.h"

/* The output position; `bad` after something did not fit. */
struct out {
	uint8_t *start;
	size_t used;
	size_t size;
	bool bad;
};

static void put(struct out *out, const void *bytes, size_t size)
{
	if (out->bad || size > out->size - out->used) {
		out->bad = true;
		return;
	}
	if (size)
		memcpy(out->start + out->used, bytes, size);
	out->used += size;
}

static void put_u64(struct out *out, uint64_t value)
{
	put(out, &value, sizeof(value));
}

static void put_u32s(struct out *out, uint32_t first, uint32_t second)
{
	put(out, &first, sizeof(first));
	put(out, &second, sizeof(second));
}

static void put_zeros(struct out *out, uint64_t bits)
{
	for (; bits; bits &= bits - 1)
		put_u64(out, 0);
}

static void put_head(struct out *out, const struct sample *sample, uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, sample->id);
	put_zeros(out, type & PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID)
		put_u32s(out, sample->pid, sample->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, sample->time);
	put_zeros(out, type & PERF_SAMPLE_ADDR);
	if (type & PERF_SAMPLE_ID)
		put_u64(out, sample->id);
	put_zeros(out, type & PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		put_u32s(out, sample->cpu, 0);
	put_zeros(out, type & PERF_SAMPLE_PERIOD);
}

static void put_values(struct out *out, const struct sample *sample, uint64_t format)
{
	bool is_group = format & PERF_FORMAT_GROUP;
	uint32_t count = is_group ? sample->values : 1;

	if (count > SAMPLE_VALUES_MAX) {
		out->bad = true;
		return;
	}
	put_u64(out, is_group ? count : sample->values ? sample->value[0] : 0);
	put_zeros(out, format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	for (uint32_t i = 0; i < count; i++) {
		if (is_group)
			put_u64(out, sample->value[i]);
		if (format & PERF_FORMAT_ID)
			put_u64(out, sample->values ? sample->value_id[i] : 0);
		put_zeros(out, format & READ_LOST);
	}
}

static void put_raw(struct out *out, const struct sample *sample)
{
	static const uint8_t zeros[8];
	uint32_t padding = -(uint32_t)(sample->raw_size + sizeof(uint32_t)) % 8;
	uint32_t size = sample->raw_size + padding;

	put(out, &size, sizeof(size));
	put(out, sample->raw, sample->raw_size);
	put(out, zeros, padding);
}

static void put_body(struct out *out, const struct sample *sample,
		     const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	put_head(out, sample, type);
	if (type & PERF_SAMPLE_READ)
		put_values(out, sample, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(out, sample->callers);
		put(out, sample->caller, sample->callers * sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_RAW)
		put_raw(out, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		put_u64(out, 0);
		put_zeros(out, layout->branch_sample_type & BRANCH_HW_INDEX);
	}
	/* Registers with ABI 0, a stack of size 0, and one word for both kinds of weight. */
	put_zeros(out, type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));
	put_zeros(out, type & SAMPLE_WEIGHTS ? PERF_SAMPLE_WEIGHT : 0);
	put_zeros(out,
		  type & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR));
	put_zeros(out, type & (SAMPLE_TAIL_WORDS | PERF_SAMPLE_AUX));
}

static void put_trailer(struct out *out, const struct sample *sample, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		put_u32s(out, sample->pid, sample->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, sample->time);
	if (type & PERF_SAMPLE_ID)
		put_u64(out, sample->id);
	put_zeros(out, type & PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		put_u32s(out, sample->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, sample->id);
}

size_t sample_write(const struct sample *sample, const struct sample_layout *layout, void *out,
		    size_t size)
{
	struct perf_event_header header = {.type = sample->type, .misc = sample->misc};
	struct out o = {.start = out, .size = size < UINT16_MAX ? size : UINT16_MAX};

	put(&o, &header, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		put_body(&o, sample, layout);
	} else {
		put(&o, sample->body, sample->body_size);
		if (layout->sample_id_all && header.type < SAMPLE_USER_TYPES)
			put_trailer(&o, sample, layout->sample_type);
	}
	if (o.bad)
		return 0;
	header.size = (uint16_t)o.used;
	memcpy(out, &header, sizeof(header));
	return o.used;
}
