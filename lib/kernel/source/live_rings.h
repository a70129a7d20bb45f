/* live_rings: the CPUs that have ring buffers, and the size of each ring buffer. */
#pragma once

#include <stdint.h>

struct error;
struct live;

/* Finds the CPUs that are online or may come online. Returns 0, or -errno with a message. */
int live_find_cpus(struct live *live, struct error *err);
/* Refuses rings that do not fit into memory. */
int live_check_ring(const struct live *live, struct error *err);
/* Return the wanted size of a ring, and of a ring for a CPU that may come online: a power of two of pages. */
uint64_t live_ring_want(const struct live *live);
uint64_t live_ring_spare(const struct live *live);
