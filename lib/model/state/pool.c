#include "state.h"

#include <string.h>

uint32_t pool_take(struct pool *pool, void *array_pointer, size_t size)
{
	void **array = array_pointer;
	uint32_t id;

	if (pool->free_count) {
		id = pool->free_id[--pool->free_count];
		memset((char *)*array + (size_t)id * size, 0, size);
		return id;
	}
	if (pool->count == pool->capacity)
		*array = mem_grow(*array, &pool->capacity, pool->count + 1, size);
	return pool->count++;
}

void pool_give(struct pool *pool, uint32_t id)
{
	MEM_GROW(pool->free_id, pool->free_capacity, pool->free_count + 1);
	pool->free_id[pool->free_count++] = id;
}

str_id model_string(struct model *m, const char *bytes, size_t length)
{
	return length ? strtab_add(m->trace.strings, bytes, length) : 0;
}
