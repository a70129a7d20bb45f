/*
 * mem: allocation functions that end the program if there is no memory.
 *
 * A size of 0 gives one byte, so the result is never NULL.
 */
#include <iotrace/mem.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FIRST_CAPACITY = 8,
	STATUS_OUT_OF_MEMORY = 125, /* like any other failure of iotrace */
};

static void *checked(void *memory, size_t size)
{
	if (!memory) {
		fprintf(stderr,
			"iotrace: out of memory (%zu bytes were requested)\n"
			"iotrace: The recorded data is kept; 'iotrace check' lists it. The cause "
			"may be a limit: ulimit -v\n",
			size);
		_exit(STATUS_OUT_OF_MEMORY);
	}
	return memory;
}

void *mem_alloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *mem_zero(size_t size)
{
	return checked(calloc(1, size ? size : 1), size);
}

void *mem_array(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		checked(NULL, SIZE_MAX);
	return mem_zero(bytes);
}

void *mem_resize(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1), size);
}

char *mem_strdup(const char *text)
{
	return mem_dup(text, strlen(text) + 1);
}

void *mem_dup(const void *bytes, size_t size)
{
	void *copy = mem_alloc(size);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *mem_format(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return checked(text, strlen(format));
}

void mem_append(char **text, const char *format, ...)
{
	size_t length = strlen(*text), added;
	char *more = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&more, format, args) < 0)
		more = NULL;
	va_end(args);
	checked(more, strlen(format));
	added = strlen(more);
	*text = mem_resize(*text, length + added + 1);
	memcpy(*text + length, more, added + 1);
	free(more);
}

void *mem_grow(void *array, uint32_t *capacity, uint32_t want, size_t size)
{
	uint64_t wider = *capacity + (uint64_t)*capacity / 2;
	uint32_t old = *capacity;
	size_t bytes;

	if (want <= old)
		return array;
	if (wider < want)
		wider = want;
	if (wider < FIRST_CAPACITY)
		wider = FIRST_CAPACITY;
	if (wider > UINT32_MAX)
		wider = UINT32_MAX;
	if (__builtin_mul_overflow((size_t)wider, size, &bytes))
		checked(NULL, SIZE_MAX);
	array = mem_resize(array, bytes);
	memset((char *)array + old * size, 0, bytes - old * size);
	*capacity = (uint32_t)wider;
	return array;
}
