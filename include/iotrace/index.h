/*
 * index: finds ids by the hash of what they stand for; 8 bytes for a slot. The caller compares: the index keeps half of
 * each hash, so that what is elsewhere is read only where it most likely is the right one.
 *
 * Hashes must be those of hash.h: nobody outside can predict them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_slot {
	uint32_t hash;
	uint32_t next_id; /* id + 1, 0: free */
};

/* An all-zero struct is an empty index. */
struct index {
	struct index_slot *slot;
	uint32_t slots;
	uint32_t count;
};

void index_release(struct index *index);
/* Adds an id, which must not be INDEX_NONE. That it is there already is not noticed. */
void index_add(struct index *index, uint64_t hash, uint32_t id);
/* Takes out this id of this hash, if it is there. */
void index_remove(struct index *index, uint64_t hash, uint32_t id);
/*
 * Returns the first id of this hash; INDEX_NONE: there is none. `at` is where to go on: index_next() returns the next one.
 * The index must not be changed in between.
 */
uint32_t index_first(const struct index *index, uint64_t hash, uint32_t *at);
uint32_t index_next(const struct index *index, uint64_t hash, uint32_t *at);
