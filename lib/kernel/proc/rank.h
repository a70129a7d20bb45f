/*
 * rank: the rank of a process in a parallel program, from its environment.
 *
 * The environment is that of the last exec; a process without an exec has that of its parent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct procfs;

struct rank {
	bool is_known;
	uint32_t rank, ranks; /* ranks: number of ranks; 0: unknown */
};

/* Returns an unknown rank if the environment may not be read. */
struct rank rank_read(const struct procfs *proc, uint32_t pid);
