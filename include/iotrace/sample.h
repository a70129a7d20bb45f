/*
 * sample: one parsed record of a perf stream: the bytes that the kernel sent, and nothing more.
 *
 * A record is a perf_event_header and a body (include/uapi/linux/perf_event.h). The perf_event_attr of the event
 * determines the layout of a sample's body and of the trailer of other records. So a sample_layout is computed once
 * for each event, and sample_parse() then reads at known offsets.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The records of each CPU are one ordered stream. A stream that does not belong to a CPU has a number from
 * SAMPLE_STREAM_FIRST on: ring buffers that a library fills in user space, or records of another machine. Facts and records
 * without either are one further stream.
 */
#define SAMPLE_CPU_NONE     UINT32_MAX
#define SAMPLE_STREAM_FIRST 0x10000U /* larger than any number of CPUs */

enum { SAMPLE_STREAMS = 1024 };

enum { SAMPLE_VALUES_MAX = 32 };

struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint8_t regs_user; /* number of registers in a sample: bits set in sample_regs_user, _intr */
	uint8_t regs_intr;
	bool sample_id_all; /* records that are not samples end in the same id fields */
};

/*
 * All pointers point into the parsed record and are valid as long as it is.
 * Fields that the layout lacks are 0 (cpu: SAMPLE_CPU_NONE).
 */
struct sample {
	uint32_t type; /* PERF_RECORD_*, and the user types of perf.data (>= 64) */
	uint16_t misc; /* PERF_RECORD_MISC_* */
	uint16_t size; /* of the whole record */
	const uint8_t *record;
	uint32_t event; /* index of the event in capture_info, or UINT32_MAX */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
	uint64_t
		until; /* for a loss that begins at `time`: when its ring buffer continued; otherwise 0 */
	uint64_t id;
	const uint8_t *raw; /* PERF_SAMPLE_RAW: tracepoint fields, or a fact */
	uint32_t raw_size;
	uint32_t callers; /* PERF_SAMPLE_CALLCHAIN: number of elements in caller[] */
	const uint8_t *
		caller; /* addresses of 8 bytes, the innermost first, and enum perf_callchain_context between them; not aligned */
	uint32_t values; /* PERF_SAMPLE_READ: number of elements in value[] and value_id[] */
	uint64_t value[SAMPLE_VALUES_MAX];
	uint64_t value_id[SAMPLE_VALUES_MAX];
	const uint8_t *body; /* other records: the bytes between header and trailer */
	uint32_t body_size;
};

/* Returns 0, or -ENOTSUP with a message if sample_type has a bit that sample_parse() does not know. */
struct error;
int sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr,
		       struct error *err);

/* Returns the size of the first record in [at, at + left), or 0 if it is truncated or invalid. */
uint32_t sample_record_size(const void *at, size_t left);

/*
 * Returns 0, or -EBADMSG if the record is shorter than its layout. `record` must be complete (see sample_record_size()).
 */
int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *record);

/*
 * Writes a sample record (for facts, and for tests): the inverse of sample_parse() for all fields
 * that struct sample has. Returns its size, or 0 if it does not fit.
 */
size_t sample_write(const struct sample *sample, const struct sample_layout *layout, void *out,
		    size_t size);
