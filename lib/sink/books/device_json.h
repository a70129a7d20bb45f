/* device_json: what is known of a block device, and its books, as JSON objects. */
#pragma once

#include <stdint.h>

struct json_object;
struct trace;

/*
 * Returns { name, dev, model, scheduler, rotational, size, disk, under, backing, balanced, read { requests, sectors,
 * kernel_requests, kernel_sectors }, write, discard, flush }. What is not known is null; balanced, too.
 */
struct json_object *device_json(const struct trace *trace, uint32_t device);
/* Returns { id, path } of a control group; path is null if it was gone. */
struct json_object *cgroup_json(const struct trace *trace, uint32_t cgroup);
/* Returns whether the device has requests, or a count of the kernel. */
int device_json_is_worth(const struct trace *trace, uint32_t device);
