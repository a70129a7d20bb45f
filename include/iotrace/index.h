/*
 * index: finds ids by the hash of their value, with 8 bytes for each slot. The caller compares the values. The
 * index keeps half of each hash, so that the caller rarely compares a wrong one.
 *
 * Use hashes of hash.h, which nobody outside can predict.
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
/* Adds an id, which must not be INDEX_NONE. Does not check for duplicates. */
void index_add(struct index *index, uint64_t hash, uint32_t id);
/* Removes this id with this hash, if it is present. */
void index_remove(struct index *index, uint64_t hash, uint32_t id);
/*
 * Returns the first id with this hash, or INDEX_NONE. `at` is the state for index_next(), which returns the next one. The
 * index must not change in between.
 */
uint32_t index_first(const struct index *index, uint64_t hash, uint32_t *at);
uint32_t index_next(const struct index *index, uint64_t hash, uint32_t *at);
