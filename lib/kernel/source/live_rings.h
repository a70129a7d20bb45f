/* live_rings: the CPUs that have ring buffers, and the sizes of these. */
#pragma once

#include <stdint.h>

struct error;
struct live;

/* Finds the CPUs that are online and those that may come. Returns 0, or -errno with a sentence. */
int live_find_cpus(struct live *live, struct error *err);
/* Refuses rings for which the machine has no memory. */
int live_check_ring(const struct live *live, struct error *err);
/* The size of a ring that is asked for, and of one of a CPU that may come: a power of two of pages. */
uint64_t live_ring_want(const struct live *live);
uint64_t live_ring_spare(const struct live *live);
