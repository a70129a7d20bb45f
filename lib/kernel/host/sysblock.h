/* sysblock: reads names, properties, lower devices and counters of block devices from /sys/block. */
#pragma once

#include "proc/facts.h"
#include "proc/procfs.h"

struct error;

/*
 * Finds the number of a device in the kernel's block events (major << 20 | minor). Returns 0, or -errno with a message if there is no
 * such device, then with the nearest name, or if it is a partition.
 */
int sysblock_number(const struct procfs *sys, const char *name, uint32_t *number,
		    struct error *err);
/* Writes the name of the device or partition with these numbers. Returns false, with nothing written, if there is none. */
bool sysblock_name(const struct procfs *sys, uint32_t major_number, uint32_t minor_number,
		   char *name, size_t size);
/* Returns 0, or -EINVAL with a message if the device does not count for how long it is busy. */
int sysblock_check_busy(const struct procfs *sys, const char *name, struct error *err);
/* Sets for how long the device has had requests in flight. Returns false if the device is gone. */
bool sysblock_busy(const struct procfs *sys, const char *name, uint64_t *busy_ms);
/* Adds a fact DEVICE for each device and each partition. `sys` is /sys or a saved tree. */
void sysblock_devices(const struct procfs *sys, struct facts *facts);
/* The chosen devices: their numbers from sysblock_number(); empty: all. */
struct sysblock_chosen {
	const uint32_t *number;
	uint32_t count;
};
/* Adds a fact DISKSTAT for each chosen whole device. Requests of the others are not recorded. */
void sysblock_stats(const struct procfs *sys, uint32_t phase, struct sysblock_chosen chosen,
		    struct facts *facts);
