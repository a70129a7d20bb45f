/*
 * filter: a set of system call numbers as a filter of the kernel's tracepoints.
 */
#pragma once

#include <iotrace/syscall.h>
#include <stdint.h>

enum { FILTER_SIZE = 4000 }; /* the kernel takes less than a page */

enum filter_use {
	FILTER_ENTER, /* begins of all chosen calls, but for those of FILTER_PATH */
	FILTER_PATH, /* begins whose path must be read before the call is over: it is said nowhere else */
	FILTER_EXIT,   /* their ends, but for those of FILTER_OPENER */
	FILTER_OPENER, /* ends worth a look at once: a new descriptor, directory or program */
};

/*
 * Returns an expression over the field "id" (the caller frees it), true for exactly these numbers; NULL if there
 * are none. The first `hot` of them are compared first, the others are found by halving.
 */
char *filter_numbers(const int *number, uint32_t count, uint32_t hot);
/*
 * Returns the filter for the calls of these groups (bits 1 << enum call_group; OPEN and TASK are always in), or
 * NULL if everything must pass; FILTER_PATH: NULL if nothing does. No begin and no end passes two filters.
 */
char *filter_calls(enum filter_use use, uint32_t groups);
