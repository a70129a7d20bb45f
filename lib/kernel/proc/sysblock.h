/*
 * sysblock: what /sys/block says of block devices: names, what they are and stand on, and their counters.
 */
#pragma once

#include "facts.h"
#include "procfs.h"

struct error;

/*
 * Finds the number that the kernel's block events give a device (its own form: major << 20 | minor). Returns 0, or
 * -errno with a sentence: there is none of that name, or it is a partition.
 */
int sysblock_number(const struct procfs *sys, const char *name, uint32_t *number,
		    struct error *err);
/* Adds a fact DEVICE for each device and each partition. `sys` is /sys, or a saved tree. */
void sysblock_devices(const struct procfs *sys, struct facts *facts);
/* Which devices: their numbers as sysblock_number() has them; none: all. */
struct sysblock_chosen {
	const uint32_t *number;
	uint32_t count;
};
/* Adds a fact DISKSTAT for each whole device that is chosen: of the others no request is recorded to compare with. */
void sysblock_stats(const struct procfs *sys, uint32_t phase, struct sysblock_chosen chosen,
		    struct facts *facts);
