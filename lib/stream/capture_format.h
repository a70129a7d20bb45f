/*
 * capture_format: the parts of a perf.data file that its reader and its writer must agree on.
 *
 * See tools/perf/Documentation/perf.data-file-format.txt. Numbers have the byte order of the host.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

/* A number in the byte order of the writing machine. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CAPTURE_MAGIC         "PERFILE2"
#define CAPTURE_MAGIC_SWAPPED "2ELIFREP"
#else
#define CAPTURE_MAGIC         "2ELIFREP"
#define CAPTURE_MAGIC_SWAPPED "PERFILE2"
#endif
/* Follows the header in files that iotrace writes. After it comes a table of features, a copy of the one after the data. */
#define CAPTURE_FRONT_MAGIC "iotrace1"

struct capture_section {
	uint64_t offset;
	uint64_t size;
};

struct capture_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct capture_section attrs;
	struct capture_section data;
	struct capture_section event_types;
	uint64_t flags[4];
};

/* An element of the attrs section with our size; in other files, the attr may be shorter or longer. */
struct capture_attr {
	struct perf_event_attr attr;
	struct capture_section ids;
};

struct capture_front {
	char magic[8];
	uint64_t flags;
};

/*
 * Replaces records that were removed. The next `bytes` bytes are missing; they contained `records` records of the kernel,
 * including those that this record has overwritten.
 */
struct capture_gap {
	struct perf_event_header header;
	uint64_t bytes, records;
};

enum { CAPTURE_GAP_SIZE = sizeof(struct capture_gap) };

enum {
	CAPTURE_PIPE_HEADER_SIZE = 16,
	CAPTURE_IDS_MAX = 1 << 22,  /* limit for all events together */
	CAPTURE_FORMATS_MAX = 8192, /* a kernel has about 2500 */
	CAPTURE_FEATURE_MAX = 64 << 20,
	CAPTURE_STRING_ALIGN = 64, /* perf pads strings in features to this */
};

enum capture_feature {
	CAPTURE_TRACING_DATA = 1,
	CAPTURE_HOSTNAME = 3,
	CAPTURE_OSRELEASE = 4,
	CAPTURE_VERSION = 5,
	CAPTURE_ARCH = 6,
	CAPTURE_NRCPUS = 7,
	CAPTURE_CMDLINE = 11,
	CAPTURE_EVENT_DESC = 12,
	CAPTURE_COMPRESSED = 27,
	CAPTURE_FEATURES = 64,
};

/* The records of perf itself that the reader must know. */
enum {
	CAPTURE_RECORD_ATTR = 64,
	CAPTURE_RECORD_TRACING_DATA = 66,
	CAPTURE_RECORD_AUXTRACE = 71,
	CAPTURE_RECORD_EVENT_UPDATE = 78,
	CAPTURE_RECORD_FEATURE = 80,
	CAPTURE_RECORD_GAP = 0x696f, /* a record of iotrace: see trim.h */
	CAPTURE_UPDATE_NAME = 2,
};

/* The begin of the TRACING_DATA section. */
#define CAPTURE_TRACING_MAGIC "\x17\x08\x44tracing"
enum { CAPTURE_TRACING_MAGIC_SIZE = 10 };
