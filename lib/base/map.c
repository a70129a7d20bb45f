/*
 * map: linear probing over a power of two of 16-byte entries.
 *
 * At least a quarter of the entries is free, so that every search ends. A deleted entry keeps a mark, so that searches continue
 * behind it. If the entry behind it is free, it becomes free at once. So inserting and removing alternately, as with requests and
 * descriptors, leaves almost no marks.
 */
#include <iotrace/map.h>

#include <iotrace/hash.h>
#include <iotrace/mem.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FREE, USED = MAP_USED, DELETED };
enum { FIRST_CAPACITY = 16 };

void map_init(struct map *map)
{
	memset(map, 0, sizeof(*map));
}

void map_release(struct map *map)
{
	free(map->entry);
	map_init(map);
}

void map_clear(struct map *map)
{
	if (map->filled)
		memset(map->entry, 0, map->capacity * sizeof(*map->entry));
	map->count = 0;
	map->filled = 0;
}

/* Returns the entry of the key, or NULL. */
static struct map_entry *find(const struct map *map, uint64_t key)
{
	uint32_t mask = map->capacity - 1;
	struct map_entry *entry;
	uint32_t i;

	if (!map->count)
		return NULL;
	for (i = map_first(map, key);; i = (i + 1) & mask) {
		entry = &map->entry[i];
		if (entry->state == FREE)
			return NULL;
		if (entry->key == key && entry->state == USED)
			return entry;
	}
}

uint32_t map_seek(const struct map *map, uint64_t key)
{
	const struct map_entry *entry = find(map, key);

	return entry ? entry->value : MAP_NONE;
}

/* Returns the first unused entry for the key, which must not be in the map. */
static struct map_entry *vacancy(const struct map *map, uint64_t key)
{
	uint32_t mask = map->capacity - 1;
	uint32_t i = map_first(map, key);

	while (map->entry[i].state == USED)
		i = (i + 1) & mask;
	return &map->entry[i];
}

static void rehash(struct map *map, uint32_t capacity)
{
	struct map_entry *old = map->entry;
	uint32_t old_capacity = map->capacity;
	uint32_t i;

	map->entry = mem_array(capacity, sizeof(*map->entry));
	map->capacity = capacity;
	map->filled = map->count;
	for (i = 0; i < old_capacity; i++)
		if (old[i].state == USED)
			*vacancy(map, old[i].key) = old[i];
	free(old);
}

/* Makes room for one more entry. The map grows only for entries in use; deleted ones are removed. */
static void reserve(struct map *map)
{
	if (!map->capacity) {
		map->secret = hash_key_of_process().low;
		rehash(map, FIRST_CAPACITY);
	} else if (map->filled >= map->capacity / 4 * 3) {
		bool is_half_full = map->count >= map->capacity / 2;

		assert(!is_half_full || map->capacity <= UINT32_MAX / 2);
		rehash(map, is_half_full ? map->capacity * 2 : map->capacity);
	}
}

void map_set(struct map *map, uint64_t key, uint32_t value)
{
	struct map_entry *entry = find(map, key);

	assert(value != MAP_NONE);
	if (entry) {
		entry->value = value;
		return;
	}
	reserve(map);
	entry = vacancy(map, key);
	if (entry->state == FREE)
		map->filled++;
	map->count++;
	*entry = (struct map_entry){key, value, USED};
}

/* Entry i was deleted. If the next entry is free, this one and the deleted ones before it become free. */
static void sweep(struct map *map, uint32_t i)
{
	uint32_t mask = map->capacity - 1;

	if (map->entry[(i + 1) & mask].state != FREE)
		return;
	for (; map->entry[i].state == DELETED; i = (i - 1) & mask) {
		map->entry[i].state = FREE;
		map->filled--;
	}
}

uint32_t map_remove(struct map *map, uint64_t key)
{
	struct map_entry *entry = find(map, key);

	if (!entry)
		return MAP_NONE;
	entry->state = DELETED;
	map->count--;
	sweep(map, (uint32_t)(entry - map->entry));
	return entry->value;
}
