/*
 * device_stat: what came of a device's requests against what the kernel itself counted of them, in /sys/block/DEV/stat.
 */
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
/* What the events say. Zeroes count as writes, as the kernel counts them. */
struct device_stat device_stat_seen(const struct trace_device *device, enum device_stat_kind kind);
/* What the kernel counted while the recording ran; device->has_stat. */
struct device_stat device_stat_kernel(const struct trace_device *device,
				      enum device_stat_kind kind);
/* Returns whether the two are the same for all kinds; device->has_stat. */
bool device_stat_balance(const struct trace_device *device);
/* Sets what device_stat_seen() and, unless kernel is NULL, device_stat_kernel() return. */
void device_stat_set(struct trace_device *device, enum device_stat_kind kind,
		     const struct device_stat *seen, const struct device_stat *kernel);
