/*
 * sample: parses records.
 *
 * A sample's body is a sequence of optional fields, in the order that include/uapi/linux/perf_event.h gives. All fields that
 * iotrace uses come before BRANCH_STACK. The others are skipped, so that a record which is shorter than its layout is refused
 * wherever it was cut. The parser is one inline function of sample_type: for frequent layouts it is instantiated with a constant,
 * and the tests of single bits disappear.
 */
#include <iotrace/bytes.h>
#include <iotrace/error.h>
#include <iotrace/sample.h>

#include <errno.h>

#include "sample_bits.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { BRANCH_ENTRY_SIZE = 3 * sizeof(uint64_t) };

/*
 * The layouts that iotrace itself records, through perf and through BPF, and those of `perf record -e a -e b` and `perf record -e
 * a`.
 */
#define LAYOUT_OURS                                                                                \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                  \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_RAW))
#define LAYOUT_BPF (LAYOUT_OURS | (uint64_t)PERF_SAMPLE_IP)
#define LAYOUT_PERF_ONE                                                                            \
	((uint64_t)(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |        \
		    PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW))
#define LAYOUT_PERF_MANY (LAYOUT_PERF_ONE | (uint64_t)PERF_SAMPLE_ID)

int sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr,
		       struct error *err)
{
	uint64_t unknown_sample = attr->sample_type & ~SAMPLE_BITS_KNOWN;
	uint64_t unknown_read = attr->read_format & ~READ_BITS_KNOWN;

	*layout = (struct sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.regs_user = (uint8_t)__builtin_popcountll(attr->sample_regs_user),
		.regs_intr = (uint8_t)__builtin_popcountll(attr->sample_regs_intr),
		.sample_id_all = attr->sample_id_all,
	};
	if (unknown_sample)
		return error_say(
			err, ENOTSUP,
			"its samples have fields that this iotrace does not know (sample_type 0x%llx)",
			(unsigned long long)unknown_sample);
	if (unknown_read && attr->sample_type & PERF_SAMPLE_READ)
		return error_say(
			err, ENOTSUP,
			"its counters have fields that this iotrace does not know (read_format 0x%llx)",
			(unsigned long long)unknown_read);
	return 0;
}

uint32_t sample_record_size(const void *at, size_t left)
{
	struct perf_event_header header;

	if (left < sizeof(header))
		return 0;
	memcpy(&header, at, sizeof(header));
	if (!header.type || header.size < sizeof(header) || header.size > left)
		return 0;
	return header.size;
}

static void skip(struct bytes *b, uint64_t count, size_t size)
{
	/* The count is untrusted: this division cannot overflow. */
	if (count > b->left / size)
		b->bad = true;
	else
		bytes_take(b, (size_t)count * size);
}

/* Skips values beyond SAMPLE_VALUES_MAX. */
static void parse_values(struct bytes *b, uint64_t format, struct sample *sample)
{
	bool is_group = format & PERF_FORMAT_GROUP;
	uint64_t count = is_group ? bytes_u64(b) : 1;
	uint64_t value = is_group ? 0 : bytes_u64(b);
	uint64_t id;

	bytes_take(b, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0);
	bytes_take(b, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0);
	for (uint64_t i = 0; i < count && !b->bad; i++) {
		if (is_group)
			value = bytes_u64(b);
		id = format & PERF_FORMAT_ID ? bytes_u64(b) : 0;
		bytes_take(b, format & READ_LOST ? 8 : 0);
		if (i < SAMPLE_VALUES_MAX) {
			sample->value[i] = value;
			sample->value_id[i] = id;
			sample->values = (uint32_t)i + 1;
		}
	}
}

static void parse_callers(struct bytes *b, struct sample *sample)
{
	uint64_t count = bytes_u64(b);

	/* The count is untrusted; a record has at most 64 KiB. */
	if (count > b->left / sizeof(uint64_t))
		b->bad = true;
	sample->caller = bytes_take(b, b->bad ? 0 : (size_t)count * sizeof(uint64_t));
	sample->callers = b->bad ? 0 : (uint32_t)count;
}

static void skip_branches(struct bytes *b, uint64_t branch_type)
{
	uint64_t count = bytes_u64(b);

	bytes_take(b, branch_type & BRANCH_HW_INDEX ? 8 : 0);
	skip(b, count, BRANCH_ENTRY_SIZE);
	if (branch_type & BRANCH_COUNTERS)
		skip(b, count, 8);
}

static void skip_registers(struct bytes *b, uint32_t count)
{
	/* A task without such registers (a kernel thread) has ABI 0, and no registers. */
	if (bytes_u64(b))
		skip(b, count, 8);
}

static void skip_stack(struct bytes *b)
{
	uint64_t size = bytes_u64(b);

	if (!size)
		return;
	skip(b, size, 1);
	bytes_u64(b);
}

/* Skips the fields after the raw data. iotrace does not use them, but they must be complete. */
static void skip_tail(struct bytes *b, const struct sample_layout *layout)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(b, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		skip_registers(b, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(b);
	bytes_take(b, type & SAMPLE_WEIGHTS ? 8 : 0);
	bytes_take(b, sample_field_bytes(type & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)));
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(b, layout->regs_intr);
	bytes_take(b, sample_field_bytes(type & SAMPLE_TAIL_WORDS));
	if (type & PERF_SAMPLE_AUX)
		skip(b, bytes_u64(b), 1);
}

static ALWAYS_INLINE void parse_head(const uint8_t *at, uint64_t type, struct sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER) {
		sample->id = sample_u64(at);
		at += 8;
	}
	if (type & PERF_SAMPLE_IP)
		at += 8;
	if (type & PERF_SAMPLE_TID) {
		sample->pid = sample_u32(at);
		sample->tid = sample_u32(at + 4);
		at += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		sample->time = sample_u64(at);
		at += 8;
	}
	if (type & PERF_SAMPLE_ADDR)
		at += 8;
	if (type & PERF_SAMPLE_ID) {
		if (!(type & PERF_SAMPLE_IDENTIFIER))
			sample->id = sample_u64(at);
		at += 8;
	}
	if (type & PERF_SAMPLE_STREAM_ID)
		at += 8;
	if (type & PERF_SAMPLE_CPU)
		sample->cpu = sample_u32(at);
}

static ALWAYS_INLINE int parse_body(struct bytes b, uint64_t type,
				    const struct sample_layout *layout, struct sample *sample)
{
	const uint8_t *head = bytes_take(&b, sample_field_bytes(type & SAMPLE_HEAD));

	if (!head)
		return -EBADMSG;
	parse_head(head, type, sample);
	if (type & PERF_SAMPLE_READ)
		parse_values(&b, layout->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_callers(&b, sample);
	if (type & PERF_SAMPLE_RAW) {
		sample->raw_size = bytes_u32(&b);
		sample->raw = bytes_take(&b, sample->raw_size);
	}
	if (type & SAMPLE_TAIL)
		skip_tail(&b, layout);
	return b.bad ? -EBADMSG : 0;
}

static int parse_sample(struct bytes b, const struct sample_layout *layout, struct sample *sample)
{
	switch (layout->sample_type) {
	case LAYOUT_OURS:
		return parse_body(b, LAYOUT_OURS, layout, sample);
	case LAYOUT_BPF:
		return parse_body(b, LAYOUT_BPF, layout, sample);
	case LAYOUT_PERF_MANY:
		return parse_body(b, LAYOUT_PERF_MANY, layout, sample);
	case LAYOUT_PERF_ONE:
		return parse_body(b, LAYOUT_PERF_ONE, layout, sample);
	default:
		return parse_body(b, layout->sample_type, layout, sample);
	}
}

/* Parses the id fields at the end of a record that is not a sample. IDENTIFIER is last here, so that it can be found. */
static void parse_trailer(const uint8_t *at, uint32_t size, uint64_t type, struct sample *sample)
{
	parse_head(at, type & ~(uint64_t)PERF_SAMPLE_IDENTIFIER, sample);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = sample_u64(at + size - 8);
}

static int parse_other(struct bytes b, const struct sample_layout *layout, struct sample *sample)
{
	bool has_trailer = layout->sample_id_all && sample->type < SAMPLE_USER_TYPES;
	uint64_t trailer = has_trailer ? layout->sample_type & SAMPLE_TRAILER : 0;
	uint32_t size = sample_field_bytes(trailer);

	if (b.left < size)
		return -EBADMSG;
	sample->body = b.at;
	sample->body_size = (uint32_t)(b.left - size);
	parse_trailer(b.at + sample->body_size, size, trailer, sample);
	return 0;
}

/* Clears everything except the values, which are large and rarely present. */
static inline void clear(struct sample *sample)
{
	sample->event = UINT32_MAX;
	sample->pid = 0;
	sample->tid = 0;
	sample->cpu = SAMPLE_CPU_NONE;
	sample->time = 0;
	sample->until = 0;
	sample->id = 0;
	sample->raw = NULL;
	sample->raw_size = 0;
	sample->caller = NULL;
	sample->callers = 0;
	sample->values = 0;
	sample->body = NULL;
	sample->body_size = 0;
}

int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *record)
{
	struct perf_event_header header;
	struct bytes b;

	memcpy(&header, record, sizeof(header));
	clear(sample);
	sample->type = header.type;
	sample->misc = header.misc;
	sample->size = header.size;
	sample->record = record;
	b = bytes_of(sample->record + sizeof(header), header.size - sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE)
		return parse_sample(b, layout, sample);
	return parse_other(b, layout, sample);
}
