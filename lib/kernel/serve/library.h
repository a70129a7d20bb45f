/*
 * library: shared libraries that only a daemon needs. They are loaded when it begins, because each library that is linked, and those
 * that it needs itself, make every start of iotrace slower.
 */
#pragma once

#include <stddef.h>

struct error;

/* A member for a function of a library's header. */
#define LIBRARY_FUNCTION(name) __typeof__(&(name)) name

struct library_function {
	const char *name;
	size_t at; /* offset of its member */
};

/*
 * Loads a library and sets the members of `functions`. Returns a handle for library_close(); or NULL with a message, and the error code
 * ENOENT.
 */
void *library_open(const char *file, const struct library_function *function, size_t count,
		   void *functions, struct error *err);
void library_close(void *library);
