/*
 * mem: memory allocation that cannot fail.
 *
 * If memory is exhausted, it prints a message and ends the program with status 125. Check sizes from input against
 * a limit before you call it.
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
/* Appends to a text that one of these made. */
void mem_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the array, large enough for `want` elements; the capacity grows by a half. New elements are zeroed. */
void *mem_grow(void *array, uint32_t *capacity, uint32_t want, size_t size);

/* Grows an array { T *ptr; uint32_t cap; } so that it has an element `want - 1`. */
#define MEM_GROW(ptr, cap, want)                                                                   \
	((want) > (cap) ? (void)((ptr) = (__typeof__(ptr))mem_grow((ptr), &(cap), (want),          \
								   sizeof(*(ptr))))                \
			: (void)0)
