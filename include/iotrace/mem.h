/*
 * mem: allocation that cannot fail.
 *
 * Out of memory prints a sentence and ends the program with status 125. Sizes that come from input are
 * checked against a limit before they get here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns memory that the caller frees with free(). Zeroed by mem_zero() and mem_array(). */
void *mem_alloc(size_t size);
void *mem_zero(size_t size);
void *mem_array(size_t count, size_t size);
void *mem_resize(void *old, size_t size);
char *mem_strdup(const char *text);
void *mem_dup(const void *bytes, size_t size);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns array, large enough for want elements; capacity grows by halves. New elements are zeroed. */
void *mem_grow(void *array, uint32_t *capacity, uint32_t want, size_t size);

/* Makes room for element number `want - 1` in a growable array { T *ptr; uint32_t cap; }. */
#define MEM_GROW(ptr, cap, want)                                                                   \
	((want) > (cap) ? (void)((ptr) = (__typeof__(ptr))mem_grow((ptr), &(cap), (want),          \
								   sizeof(*(ptr))))                \
			: (void)0)
