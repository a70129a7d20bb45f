/*
 * clock: the one clock of a recording. perf stamps its samples with the same (use_clockid), so the time of a
 * look-up can be compared with the time of a system call.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
