/*
 * index: linear probing. The home slot of a hash is proportional to the hash in the range of all hashes, so the number of slots
 * need not be a power of two: the table grows by half of its size, and at least half of it is in use. When an entry is removed,
 * entries behind it move up, so there are no marks for deleted entries.
 */
#include <iotrace/index.h>

#include <iotrace/mem.h>

#include <assert.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static uint32_t home_of(const struct index *index, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * index->slots >> 32);
}

static uint32_t behind(const struct index *index, uint32_t i)
{
	return i + 1 < index->slots ? i + 1 : 0;
}

void index_release(struct index *index)
{
	free(index->slot);
	*index = (struct index){0};
}

static void put(struct index *index, struct index_slot slot)
{
	uint32_t i = home_of(index, slot.hash);

	while (index->slot[i].next_id)
		i = behind(index, i);
	index->slot[i] = slot;
}

static void grow(struct index *index)
{
	struct index_slot *old = index->slot;
	uint32_t slots = index->slots;

	assert(slots <= UINT32_MAX / 3 * 2);
	index->slots = slots ? slots + slots / 2 : FIRST_SLOTS;
	index->slot = mem_array(index->slots, sizeof(*index->slot));
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].next_id)
			put(index, old[i]);
	free(old);
}

void index_add(struct index *index, uint64_t hash, uint32_t id)
{
	assert(id != INDEX_NONE);
	if (index->count >= index->slots / 5 * 4)
		grow(index);
	put(index, (struct index_slot){(uint32_t)hash, id + 1});
	index->count++;
}

static uint32_t search(const struct index *index, uint64_t hash, uint32_t *at)
{
	for (uint32_t i = *at;; i = behind(index, i)) {
		const struct index_slot *slot = &index->slot[i];

		*at = i;
		if (!slot->next_id)
			return INDEX_NONE;
		if (slot->hash == (uint32_t)hash)
			return slot->next_id - 1;
	}
}

uint32_t index_first(const struct index *index, uint64_t hash, uint32_t *at)
{
	*at = home_of(index, (uint32_t)hash);
	return index->count ? search(index, hash, at) : INDEX_NONE;
}

uint32_t index_next(const struct index *index, uint64_t hash, uint32_t *at)
{
	*at = behind(index, *at);
	return search(index, hash, at);
}

/* Returns the distance of an entry from its home slot. */
static uint32_t way(const struct index *index, uint32_t home, uint32_t i)
{
	return i >= home ? i - home : i + index->slots - home;
}

/* Moves up entries after the gap that a search would no longer find. */
static void close_gap(struct index *index, uint32_t gap)
{
	for (uint32_t i = behind(index, gap); index->slot[i].next_id; i = behind(index, i)) {
		if (way(index, home_of(index, index->slot[i].hash), i) < way(index, gap, i))
			continue;
		index->slot[gap] = index->slot[i];
		gap = i;
	}
	index->slot[gap] = (struct index_slot){0};
}

void index_remove(struct index *index, uint64_t hash, uint32_t id)
{
	uint32_t at, found = index_first(index, hash, &at);

	while (found != INDEX_NONE && found != id)
		found = index_next(index, hash, &at);
	if (found == INDEX_NONE)
		return;
	index->count--;
	close_gap(index, at);
}
