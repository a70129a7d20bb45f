/* device_json: properties and counters of a block device, as JSON objects. */
#pragma once

#include <stdint.h>

struct json_object;
struct trace;

/*
 * Returns { name, dev, model, scheduler, rotational, size, disk, under, backing, balanced, read { requests, sectors,
 * kernel_requests, kernel_sectors }, write, discard, flush }. Unknown values are null, also for `balanced`.
 */
struct json_object *device_json(const struct trace *trace, uint32_t device);
/* Returns { id, path } of a control group; path is null if the group no longer existed. */
struct json_object *cgroup_json(const struct trace *trace, uint32_t cgroup);
/* Returns whether the device has requests, or kernel counters. */
int device_json_is_worth(const struct trace *trace, uint32_t device);
