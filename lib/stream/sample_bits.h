/*
 * sample_bits: the known bits of sample_type and read_format, and their groups.
 *
 * Kernel headers may be older than the kernel that wrote a file, so bits newer than Linux 5.14 have their numbers here.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

/* The last known bits are PERF_SAMPLE_WEIGHT_STRUCT (since Linux 5.12) and PERF_FORMAT_LOST (since 6.0). */
#define SAMPLE_BITS_KNOWN ((UINT64_C(1) << 25) - 1)
#define READ_BITS_KNOWN   ((UINT64_C(1) << 5) - 1)
#define READ_LOST         (UINT64_C(1) << 4)
/* PERF_SAMPLE_BRANCH_HW_INDEX (5.7) and PERF_SAMPLE_BRANCH_COUNTERS (6.8) in branch_sample_type. */
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
#define SAMPLE_WEIGHTS  ((uint64_t)PERF_SAMPLE_WEIGHT | UINT64_C(1) << 24)

/* Fields of eight bytes in every sample, before any field of variable size. */
#define SAMPLE_HEAD                                                                                \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
		    PERF_SAMPLE_PERIOD))
/* Fields of eight bytes at the end of every other record, with sample_id_all. */
#define SAMPLE_TRAILER                                                                             \
	((uint64_t)(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |  \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER))
/* Fields after the raw data. The words have eight bytes each; the last comes before AUX. */
#define SAMPLE_TAIL                                                                                \
	(SAMPLE_BITS_KNOWN &                                                                       \
	 ~(SAMPLE_HEAD | (uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)))
#define SAMPLE_TAIL_WORDS                                                                          \
	((uint64_t)(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |      \
		    PERF_SAMPLE_CODE_PAGE_SIZE))

/* Types from here on belong to perf and not to the kernel: these records have no id fields. */
enum { SAMPLE_USER_TYPES = 64 };

static inline uint32_t sample_field_bytes(uint64_t bits)
{
	return 8 * (uint32_t)__builtin_popcountll(bits);
}

static inline uint64_t sample_u64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t sample_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}
