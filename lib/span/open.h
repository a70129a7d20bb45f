/*
 * open: the spans that have begun and not ended.
 *
 * They are found by span and key, and those of a process can be taken one after the other when it ends. 112 bytes for each, and 16
 * to 32 in the index; both stay when a span ends, and are used again.
 */
#pragma once

#include <iotrace/hash.h>
#include <iotrace/map.h>
#include <iotrace/span.h>
#include <iotrace/strtab.h>

#define OPEN_NONE UINT32_MAX

struct open_span {
	uint64_t key[SPAN_KEYS];
	uint64_t begin, group, bytes;
	uint64_t left; /* when its process ended; 0: it has not */
	uint32_t pid, tid;
	str_id comm, about; /* see span_engine.h */
	uint32_t stack;
	uint64_t hash; /* of span and key; open_add() sets it */
	uint16_t span;
	bool is_used;
	uint32_t next;          /* with the same hash; of those that are not used: free */
	uint32_t before, after; /* of the same process */
};

struct open_spans {
	struct open_span *at;
	uint32_t count, cap, free; /* count: of slots that were used once */
	uint32_t used;
	struct map by_key, by_process;
	struct hash_key
		secret; /* keys come from outside, and must not be able to make lists long */
};

void open_init(struct open_spans *open);
void open_release(struct open_spans *open);
uint64_t open_hash(const struct open_spans *open, uint32_t span, const uint64_t *key);
/* Returns a slot that holds a copy; no other may have its span and key, of which this is the hash. */
uint32_t open_add(struct open_spans *open, const struct open_span *span, uint64_t hash);
/* Returns the slot, or OPEN_NONE; the same with the hash. */
uint32_t open_find_hash(const struct open_spans *open, uint32_t span, const uint64_t *key,
			uint64_t hash);
uint32_t open_find(const struct open_spans *open, uint32_t span, const uint64_t *key);
void open_remove(struct open_spans *open, uint32_t slot);
/* Returns one of the process, or OPEN_NONE. */
uint32_t open_of_process(const struct open_spans *open, uint32_t pid);
