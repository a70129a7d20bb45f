/*
 * sample: one record of a perf stream, taken apart. Says which bytes the kernel sent, and nothing
 * more.
 *
 * A record is a perf_event_header and a body (include/uapi/linux/perf_event.h). How the body of a
 * sample and the trailer of every other record are laid out depends on the event's perf_event_attr,
 * so a sample_layout is worked out once for each event and sample_parse() then reads at known
 * places.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A stream of records is in order for each CPU. A stream that is of no CPU has a number instead,
 * from SAMPLE_STREAM_FIRST on: rings that a library fills in user space, or records of another
 * machine. Facts and records without either are a stream of their own.
 */
#define SAMPLE_CPU_NONE     UINT32_MAX
#define SAMPLE_STREAM_FIRST 0x10000U /* no kernel has as many CPUs */

enum { SAMPLE_STREAMS = 1024 };

enum { SAMPLE_VALUES_MAX = 32 };

struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint8_t regs_user; /* how many registers a sample carries: the bits of sample_regs_user, _intr */
	uint8_t regs_intr;
	bool sample_id_all; /* records that are no samples end in the same id fields */
};

/*
 * Lent: every pointer points into the record that was parsed and dies with it.
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
	uint64_t until; /* of a loss that begins at `time`: when its ring went on; else 0 */
	uint64_t id;
	const uint8_t *raw; /* PERF_SAMPLE_RAW: tracepoint fields, or a fact */
	uint32_t raw_size;
	uint32_t values; /* PERF_SAMPLE_READ: how many of value[] and value_id[] */
	uint64_t value[SAMPLE_VALUES_MAX];
	uint64_t value_id[SAMPLE_VALUES_MAX];
	const uint8_t *body; /* other records: what stands between header and trailer */
	uint32_t body_size;
};

/*
 * Returns 0, or -ENOTSUP with a sentence if sample_type has a bit that sample_parse() does not
 * know.
 */
struct error;
int sample_layout_init(struct sample_layout *layout, const struct perf_event_attr *attr,
		       struct error *err);

/*
 * Returns whether the first record in [at, at + left) is whole: its size, or 0 if it is torn or
 * impossible.
 */
uint32_t sample_record_size(const void *at, size_t left);

/*
 * Returns 0, or -EBADMSG if the record is shorter than its layout says. `record` is whole
 * (sample_record_size() said so).
 */
int sample_parse(struct sample *sample, const struct sample_layout *layout, const void *record);

/*
 * Writes a sample record (for facts, and for tests): the inverse of sample_parse() for all fields
 * that struct sample has. Returns its size, or 0 if it does not fit.
 */
size_t sample_write(const struct sample *sample, const struct sample_layout *layout, void *out,
		    size_t size);
