/*
 * sample_bits: which bits of sample_type and read_format are understood, and how they group.
 *
 * Kernel headers may be older than the kernel that wrote a file, so bits that are newer than Linux
 * 5.14 have their numbers here.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

/* PERF_SAMPLE_WEIGHT_STRUCT is the last (since Linux 5.12), PERF_FORMAT_LOST likewise (since 6.0). */
#define SAMPLE_BITS_KNOWN ((UINT64_C(1) << 25) - 1)
#define READ_BITS_KNOWN   ((UINT64_C(1) << 5) - 1)
#define READ_LOST         (UINT64_C(1) << 4)
/* PERF_SAMPLE_BRANCH_HW_INDEX (5.7) and PERF_SAMPLE_BRANCH_COUNTERS (6.8) in branch_sample_type. */
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
#define SAMPLE_WEIGHTS  ((uint64_t)PERF_SAMPLE_WEIGHT | UINT64_C(1) << 24)

/* Each of these is eight bytes of every sample, before anything of variable size. */
#define SAMPLE_HEAD                                                                                \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
		    PERF_SAMPLE_PERIOD))
/* Each of these is eight bytes at the end of every other record, with sample_id_all. */
#define SAMPLE_TRAILER                                                                             \
	((uint64_t)(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |  \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER))
/* What may stand behind the raw data. The words are eight bytes each, the last before AUX. */
#define SAMPLE_TAIL                                                                                \
	(SAMPLE_BITS_KNOWN &                                                                       \
	 ~(SAMPLE_HEAD | (uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)))
#define SAMPLE_TAIL_WORDS                                                                          \
	((uint64_t)(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |      \
		    PERF_SAMPLE_CODE_PAGE_SIZE))

/* From here on types are perf's own, not the kernel's: they have no id fields. */
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
