/*
 * cold: memory for data that grows with the run and is rarely read again, such as the names of all files.
 *
 * A large array or block is in an unlinked file that is mapped, so the kernel can write it out. cold_rest() removes
 * all of it from the memory of the process; touched pages come back. The blocks of the file are allocated before
 * they are mapped, because a full disk would otherwise cause a SIGBUS. If no such file can be created, or the disk
 * is full, ordinary memory is used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cold;

/* The place of one growing array. All zero: it always uses ordinary memory. */
struct cold_area {
	struct cold *cold; /* lent */
	void *at;          /* mapped, or NULL: in ordinary memory */
	size_t size;       /* mapped */
	int fd;            /* of its file, if mapped */
	struct cold_area *next, **link;
};

/* Smaller arrays stay in ordinary memory. Files grow by this size as well. */
enum { COLD_STEP = 1 << 20 };

/* Returns a store that creates its files in the directory. It duplicates the descriptor. */
struct cold *cold_new(int directory);
/* Frees the store and its blocks. All areas must have been released before. NULL is fine. */
void cold_free(struct cold *cold);
/* Removes the pages of the files from the memory of the process; no data is lost. NULL is fine. */
void cold_rest(struct cold *cold);
/* The same in one of COLD_INTERVAL calls, for loops over large arrays. */
enum { COLD_INTERVAL = 8192 };
static inline void cold_pass(struct cold *cold, uint32_t number)
{
	if (cold && number % COLD_INTERVAL == 0)
		cold_rest(cold);
}
/* Returns how many bytes are in files. */
uint64_t cold_size(const struct cold *cold);
/* Returns `size` bytes at a fixed address until cold_free(); NULL if they cannot be in a file. */
void *cold_block(struct cold *cold, size_t size);

/* Initializes an empty area of the store (NULL: ordinary memory). The struct must not move. */
void cold_area_init(struct cold_area *area, struct cold *cold);
/* Frees the array in the area. */
void cold_area_release(struct cold_area *area, void *array);
/* Like mem_grow(). The array must always be grown with the same area. */
void *cold_grow(struct cold_area *area, void *array, uint32_t *capacity, uint32_t want,
		size_t size);

/* Like MEM_GROW. */
#define COLD_GROW(area, ptr, cap, want)                                                            \
	((want) > (cap) ? (void)((ptr) = (__typeof__(ptr))cold_grow((area), (ptr), &(cap), (want), \
								    sizeof(*(ptr))))               \
			: (void)0)
