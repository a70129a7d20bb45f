/*
 * bench: what the benchmarks share: the CPU time that they took, and an end with a sentence.
 */
#ifndef BENCH_H
#define BENCH_H

#include <iotrace/error.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CPU time of the process, s. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void die(const struct error *err)
{
	fprintf(stderr, "benchmark: %s\n", err->text);
	exit(1);
}

#endif
