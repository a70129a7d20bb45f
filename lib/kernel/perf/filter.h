/* filter: filters of the kernel's tracepoints for a set of system call numbers. */
#pragma once

#include <iotrace/syscall.h>
#include <stdint.h>

enum { FILTER_SIZE = 4000 }; /* the kernel takes less than a page */

enum filter_use {
	FILTER_ENTER, /* begins of all chosen calls except those of FILTER_PATH */
	FILTER_PATH, /* begins of calls whose path must be read while they run, because no record has it */
	FILTER_EXIT,   /* ends of all chosen calls except those of FILTER_OPENER */
	FILTER_OPENER, /* ends that need a look-up at once: a new descriptor, directory or program */
};

/*
 * Returns an expression over the field "id" that is true for exactly these numbers (the caller frees it); NULL if there are none.
 * It compares the first `hot` of them first, and finds the others by bisection.
 */
char *filter_numbers(const int *number, uint32_t count, uint32_t hot);
/* Returns an expression over the field "id" that is true for all calls of exactly these groups (the caller frees it). */
char *filter_groups(uint32_t groups);
/*
 * Returns the filter for the calls of these groups (bits 1 << enum call_group; OPEN and TASK are always in), or
 * NULL if everything passes; FILTER_PATH: NULL if nothing passes. No begin and no end passes two filters.
 */
char *filter_calls(enum filter_use use, uint32_t groups);
