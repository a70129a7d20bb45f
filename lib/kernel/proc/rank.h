/*
 * rank: which rank of a parallel program a process is, as its environment says.
 *
 * The environment is that of the last exec: a process that begins without one has it from its parent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct procfs;

struct rank {
	bool is_known;
	uint32_t rank, ranks; /* ranks: how many there are; 0: not known */
};

/* What may not be read is not known. */
struct rank rank_read(const struct procfs *proc, uint32_t pid);
