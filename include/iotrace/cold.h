/*
 * cold: memory for what grows with the run and is seldom read again, such as the names of all files.
 *
 * An array or a block that has become large lies in an unlinked file and is mapped from there, so that the kernel can
 * write it out and the process need not keep it. cold_rest() takes all of it out of the process; what is touched again
 * comes back. The file's blocks are allocated before they are mapped, since a full disk would otherwise be a SIGBUS.
 * Where no such file can be made, or the disk is full, ordinary memory is used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cold;

/* Where one growing array lies. All zero: in ordinary memory, always. */
struct cold_area {
	struct cold *cold; /* lent */
	void *at;          /* mapped, or NULL: in ordinary memory */
	size_t size;       /* mapped */
	int fd;            /* of its file, if mapped */
	struct cold_area *next, **link;
};

/* What is smaller stays in ordinary memory. Files grow by as much, too. */
enum { COLD_STEP = 1 << 20 };

/* Returns a store whose files are made in the directory, of which it has a descriptor of its own. */
struct cold *cold_new(int directory);
/* Frees the store and its blocks; its areas must have been released. NULL is fine. */
void cold_free(struct cold *cold);
/* Takes out of the process's memory what lies in files. Nothing is lost. NULL is fine. */
void cold_rest(struct cold *cold);
/* The same, in one of COLD_INTERVAL calls: for a loop over what may be cold. */
enum { COLD_INTERVAL = 8192 };
static inline void cold_pass(struct cold *cold, uint32_t number)
{
	if (cold && number % COLD_INTERVAL == 0)
		cold_rest(cold);
}
/* Returns how many bytes lie in files. */
uint64_t cold_size(const struct cold *cold);
/* Returns `size` bytes that stay where they are until cold_free(); NULL if they cannot lie in a file. */
void *cold_block(struct cold *cold, size_t size);

/* The area is empty, and will be in the store (or NULL: ordinary memory). It must not move. */
void cold_area_init(struct cold_area *area, struct cold *cold);
/* Frees the array that lies in the area. */
void cold_area_release(struct cold_area *area, void *array);
/* As mem_grow(); the array must have been grown with this area only, or lie in ordinary memory. */
void *cold_grow(struct cold_area *area, void *array, uint32_t *capacity, uint32_t want,
		size_t size);

/* As MEM_GROW. */
#define COLD_GROW(area, ptr, cap, want)                                                            \
	((want) > (cap) ? (void)((ptr) = (__typeof__(ptr))cold_grow((area), (ptr), &(cap), (want), \
								    sizeof(*(ptr))))               \
			: (void)0)
