/* device_stat: compares the recorded requests of a device with the kernel's own counters in /sys/block/DEV/stat. */
#pragma once

#include <iotrace/device.h>
#include <stdbool.h>
#include <stdint.h>

enum device_stat_kind { STAT_READ, STAT_WRITE, STAT_DISCARD, STAT_FLUSH, STAT_KINDS };

struct device_stat {
	uint64_t requests, sectors; /* of 512 bytes; a flush has none */
};

/* Returns "read", "write", "discard", "flush". */
const char *device_stat_name(enum device_stat_kind kind);
/* Returns the recorded requests of a kind. Writes of zeroes count as writes, as in the kernel. */
struct device_stat device_stat_seen(const struct trace_device *device, enum device_stat_kind kind);
/* Returns what the kernel counted during the recording. Needs device->has_stat. */
struct device_stat device_stat_kernel(const struct trace_device *device,
				      enum device_stat_kind kind);
/* Returns whether both are equal for all kinds. Needs device->has_stat. */
bool device_stat_balance(const struct trace_device *device);
/* Sets the results of device_stat_seen() and, unless kernel is NULL, of device_stat_kernel(). */
void device_stat_set(struct trace_device *device, enum device_stat_kind kind,
		     const struct device_stat *seen, const struct device_stat *kernel);
