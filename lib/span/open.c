/*
 * open: see open.h. Keys with the same hash are a list.
 */
#include "open.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

uint64_t open_hash(const struct open_spans *open, uint32_t span, const uint64_t *key)
{
	uint64_t bytes[SPAN_KEYS + 1];

	memcpy(bytes, key, SPAN_KEYS * sizeof(*key));
	bytes[SPAN_KEYS] = span;
	return hash_bytes(open->secret, bytes, sizeof(bytes));
}

void open_init(struct open_spans *open)
{
	*open = (struct open_spans){.free = OPEN_NONE, .secret = hash_key_of_process()};
}

void open_release(struct open_spans *open)
{
	free(open->at);
	map_release(&open->by_key);
	map_release(&open->by_process);
}

static uint32_t slot_new(struct open_spans *open)
{
	uint32_t slot = open->free;

	if (slot == OPEN_NONE) {
		slot = open->count++;
		MEM_GROW(open->at, open->cap, open->count);
		return slot;
	}
	open->free = open->at[slot].next;
	return slot;
}

static void enter_process(struct open_spans *open, uint32_t slot)
{
	struct open_span *span = &open->at[slot];
	uint32_t first = map_get(&open->by_process, span->pid);

	span->before = OPEN_NONE;
	span->after = first;
	if (first != MAP_NONE)
		open->at[first].before = slot;
	map_set(&open->by_process, span->pid, slot);
}

static void leave_process(struct open_spans *open, uint32_t slot)
{
	const struct open_span *span = &open->at[slot];

	if (span->after != OPEN_NONE)
		open->at[span->after].before = span->before;
	if (span->before != OPEN_NONE)
		open->at[span->before].after = span->after;
	else if (span->after != OPEN_NONE)
		map_set(&open->by_process, span->pid, span->after);
	else
		map_remove(&open->by_process, span->pid);
}

uint32_t open_add(struct open_spans *open, const struct open_span *span, uint64_t hash)
{
	uint32_t slot = slot_new(open);

	open->at[slot] = *span;
	open->at[slot].hash = hash;
	open->at[slot].is_used = true;
	open->at[slot].next = map_get(&open->by_key, hash);
	map_set(&open->by_key, hash, slot);
	enter_process(open, slot);
	open->used++;
	return slot;
}

static bool is_it(const struct open_span *open, uint32_t span, const uint64_t *key)
{
	return open->span == span && !memcmp(open->key, key, sizeof(open->key));
}

uint32_t open_find_hash(const struct open_spans *open, uint32_t span, const uint64_t *key,
			uint64_t hash)
{
	uint32_t slot = map_get(&open->by_key, hash);

	while (slot != OPEN_NONE && !is_it(&open->at[slot], span, key))
		slot = open->at[slot].next;
	return slot;
}

uint32_t open_find(const struct open_spans *open, uint32_t span, const uint64_t *key)
{
	return open->used ? open_find_hash(open, span, key, open_hash(open, span, key)) : OPEN_NONE;
}

void open_remove(struct open_spans *open, uint32_t slot)
{
	struct open_span *span = &open->at[slot];
	uint64_t hash = span->hash;
	uint32_t at = map_get(&open->by_key, hash);

	if (at != slot) {
		while (open->at[at].next != slot)
			at = open->at[at].next;
		open->at[at].next = span->next;
	} else if (span->next != OPEN_NONE) {
		map_set(&open->by_key, hash, span->next);
	} else {
		map_remove(&open->by_key, hash);
	}
	leave_process(open, slot);
	span->is_used = false;
	span->next = open->free;
	open->free = slot;
	open->used--;
}

uint32_t open_of_process(const struct open_spans *open, uint32_t pid)
{
	return map_get(&open->by_process, pid);
}
