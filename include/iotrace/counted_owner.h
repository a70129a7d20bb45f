/*
 * counted_owner: spans that the kernel counts by an owner, such as a device or a file system, and a class: COUNTED_BY_OWNER and
 * COUNTED_BY_FILE_SYSTEM of <iotrace/counted.h>.
 */
#pragma once

#include <stdint.h>

struct live;

/* Which argument of a call is the descriptor of its file. */
enum { COUNTED_FD_NONE = 6, COUNTED_FD_RESULT = 7 };
enum { COUNTED_ERRNOS = 256 };

/* The owner is in the upper 32 bits of a group, the class in the lower ones. */
static inline uint32_t counted_owner(uint64_t group)
{
	return (uint32_t)(group >> 32);
}

static inline uint32_t counted_class(uint64_t group)
{
	return (uint32_t)group;
}

/* Returns how many spans have failed, by errno (COUNTED_ERRNOS; 0: another one), while the recording is open. */
const uint64_t *live_counted_errors(const struct live *live, uint32_t index);
