/*
 * span_ways: which spans of tracepoints move data, in which direction, and which field says how much.
 */
#pragma once

#include <iotrace/arch.h>
#include <stdbool.h>
#include <stdint.h>

enum { SPAN_READS = 1, SPAN_WRITES = 2 };

/* The bytes of one direction are the size field of the begin or of the end, less a header. */
struct span_way {
	bool is_of_end;
	uint32_t header;
};

struct span_ways {
	/*
	 * Returns bits of SPAN_READS and SPAN_WRITES for a value of the span's group field. arch: of the machine that the span is of; NULL:
	 * it is not known.
	 */
	uint32_t (*of)(uint64_t group, const struct arch *arch);
	struct span_way read, written;
	/* The size field is a result. It is a size only if the span moves data, and counts in each direction. */
	bool is_size_result;
};

/* Returns the name of an operation of FUSE, such as "READ", or NULL. */
const char *span_fuse_opcode(uint64_t opcode);
/* Returns the ways of the row of spans.def with this name; NULL: it moves no data, or the amount is unknown. */
const struct span_ways *span_ways_of_row(const char *name);
