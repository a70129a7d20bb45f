/*
 * request_index: requests in flight, found by their key or by device and sector.
 */
#pragma once

#include "state/state.h"

/* Returns the key of a place in a map; different places may share one. */
static inline uint64_t request_index_key(uint32_t device, uint64_t sector)
{
	return (uint64_t)device << SECTOR_BITS ^ (sector & ((UINT64_C(1) << SECTOR_BITS) - 1));
}

/* What a step looks for. */
struct wanted {
	uint32_t states;    /* enum block_state */
	bool is_exact;      /* of just so many sectors */
	bool is_last;       /* of several that fit, that which was issued last */
	bool is_completion; /* prefer what was issued; nothing is only the end of nothing */
};

/* Returns a new operation, in flight, of the request's device, type, place and size. */
uint32_t request_index_add(struct model *m, uint32_t device, const struct request *request);
/* Returns the operation that the step is about, or ID_NONE. */
uint32_t request_index_find(const struct model *m, uint32_t device, const struct request *request,
			    const struct wanted *wanted);
/* It begins elsewhere now, or takes its turn behind all others there. */
void request_index_move(struct model *m, uint32_t op, uint64_t sector);
/* Frees it. */
void request_index_remove(struct model *m, uint32_t op);
