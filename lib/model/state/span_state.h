/* span_state: spans of lib/span that the archive has, too. See life/span.h. */
#pragma once

#include <iotrace/io_event.h>
#include <iotrace/map.h>

/* A span that has begun, by the slot that the engine gave it. */
struct span_slot {
	thread_id location; /* ID_NONE: it is not in the archive, or has ended there */
	uint32_t span;      /* trace_span() */
	uint64_t begun;
	uint64_t id;      /* of an operation */
	handle_id handle; /* ID_NONE: it is a region */
	uint32_t before,
		after; /* operations of the same process; after of a region: what it is in; ID_NONE */
};

/* Of a location: */
struct span_location {
	uint32_t busy;   /* operations in flight */
	uint32_t region; /* the innermost region; its slot + 1 */
};

struct span_state {
	struct span_slot *slot;
	uint32_t slots, slots_cap;
	struct span_location *location; /* by thread_id */
	uint32_t locations;
	uint32_t *first; /* by process_id: one of its operations; its slot + 1 */
	uint32_t firsts;
	struct map handle_of; /* by process and span */
};
