/* span_state: spans that go into the archive. See life/span.h. */
#pragma once

#include <iotrace/io_event.h>
#include <iotrace/map.h>

/* A span that has begun. Its index is the slot that the engine gave it. */
struct span_slot {
	thread_id location; /* ID_NONE: it is not in the archive, or has ended */
	uint32_t span;      /* trace_span() */
	uint64_t begun;
	uint64_t id;      /* of an operation */
	handle_id handle; /* ID_NONE: it is a region */
	uint32_t before,
		after; /* list of the process's operations; `after` of a region: the region around it; ID_NONE */
};

/* The spans of a location. */
struct span_location {
	uint32_t busy;   /* operations in flight */
	uint32_t region; /* slot of the innermost region + 1; 0: none */
};

struct span_state {
	struct span_slot *slot;
	uint32_t slots, slots_cap;
	struct span_location *location; /* by thread_id */
	uint32_t locations;
	uint32_t *first; /* by process_id: slot of its latest operation + 1; 0: none */
	uint32_t firsts;
	struct map handle_of; /* by process and span */
};
