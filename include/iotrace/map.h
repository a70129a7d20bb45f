/*
 * map: a hash map from 64-bit keys to 32-bit values, with open addressing and without pointers.
 *
 * It is the only hash map of the project. Values are ids. MAP_NONE is not a valid value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX
#define MAP_USED 1 /* state of an entry */

struct map_entry {
	uint64_t key;
	uint32_t value;
	uint32_t state; /* 0: free, 1: used, 2: deleted */
};

struct map {
	struct map_entry *entry;
	uint32_t capacity; /* a power of two, or 0 */
	uint32_t count;    /* used */
	uint32_t filled;   /* used + deleted */
	uint64_t secret;   /* the first map_set() sets it: see iotrace/hash.h */
};

void map_init(struct map *map); /* an all-zero struct is an empty map, too */
void map_release(struct map *map);
void map_clear(struct map *map);
uint32_t map_seek(const struct map *map, uint64_t key);

/*
 * Returns the index of the entry where the search for key begins. Both halves of a key are small ids, so both halves of the
 * 128-bit product are combined. The map must have entries.
 */
static inline uint32_t map_first(const struct map *map, uint64_t key)
{
	__extension__ unsigned __int128 product = (unsigned __int128)(key ^ map->secret) *
						  0xa0761d6478bd642fu;

	return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64)) & (map->capacity - 1);
}

/* Returns the value of key, or MAP_NONE. */
static inline uint32_t map_get(const struct map *map, uint64_t key)
{
	const struct map_entry *entry;

	if (!map->count)
		return MAP_NONE;
	entry = &map->entry[map_first(map, key)];
	return entry->key == key && entry->state == MAP_USED ? entry->value : map_seek(map, key);
}

/* Sets or replaces. value must not be MAP_NONE. */
void map_set(struct map *map, uint64_t key, uint32_t value);
/* Removes the key. Returns its value, or MAP_NONE. */
uint32_t map_remove(struct map *map, uint64_t key);

/* Returns the key of two 32-bit ids. */
static inline uint64_t map_key(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}
