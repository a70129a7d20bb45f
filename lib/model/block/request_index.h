/* request_index: finds requests in flight by their key, or by device and sector. */
#pragma once

#include "state/state.h"

/* Returns the key of a device and sector in a map; several may have the same key. */
static inline uint64_t request_index_key(uint32_t device, uint64_t sector)
{
	return (uint64_t)device << SECTOR_BITS ^ (sector & ((UINT64_C(1) << SECTOR_BITS) - 1));
}

/* The criteria for finding a request. */
struct wanted {
	uint32_t states; /* bits 1 << enum block_state */
	bool is_exact;   /* with exactly this number of sectors */
	bool is_last;    /* of several matches, the one that was issued last */
	bool is_completion; /* prefer issued requests; one without sectors only ends one without sectors */
};

/* Returns a new operation in flight with the device, type, sector and size of the request. */
uint32_t request_index_add(struct model *m, uint32_t device, const struct request *request);
/* Returns the operation that the step is about, or ID_NONE. */
uint32_t request_index_find(const struct model *m, uint32_t device, const struct request *request,
			    const struct wanted *wanted);
/* The request has a new sector, or moves behind all others at the same sector. */
void request_index_move(struct model *m, uint32_t op, uint64_t sector);
/* Frees it. */
void request_index_remove(struct model *m, uint32_t op);
