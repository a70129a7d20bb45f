/*
 * device_json: see device_json.h.
 */
#include "device_json.h"

#include "json_text.h"
#include <iotrace/device_stat.h>

#include <iotrace/trace.h>
#include <json.h>
#include <stdio.h>
#include <sys/sysmacros.h>

enum { SECTOR_SIZE = 512 };

static json_object *json_dev(uint32_t dev)
{
	char text[32];

	snprintf(text, sizeof(text), "%u:%u", major(dev), minor(dev));
	return json_object_new_string(text);
}

static json_object *json_stat(const struct trace_device *device, enum device_stat_kind kind)
{
	struct device_stat seen = device_stat_seen(device, kind);
	struct device_stat kernel = device_stat_kernel(device, kind);
	json_object *row = json_object_new_object();

	json_object_object_add(row, "requests", json_object_new_uint64(seen.requests));
	json_object_object_add(row, "sectors", json_object_new_uint64(seen.sectors));
	json_object_object_add(row, "kernel_requests",
			       device->has_stat ? json_object_new_uint64(kernel.requests) : NULL);
	json_object_object_add(row, "kernel_sectors",
			       device->has_stat ? json_object_new_uint64(kernel.sectors) : NULL);
	return row;
}

json_object *device_json(const struct trace *trace, uint32_t id)
{
	const struct trace_device *device = trace_device(trace, id);
	json_object *row = json_object_new_object();
	bool has_disk = device->disk < trace_devices(trace);

	json_object_object_add(row, "name", json_text(trace, device->name));
	json_object_object_add(row, "dev", json_dev(device->dev));
	json_object_object_add(row, "model", json_text(trace, device->model));
	json_object_object_add(row, "scheduler", json_text(trace, device->scheduler));
	json_object_object_add(row, "rotational",
			       device->is_known ? json_object_new_boolean(device->is_rotational)
						: NULL);
	json_object_object_add(row, "size",
			       device->sectors
				       ? json_object_new_uint64(device->sectors * SECTOR_SIZE)
				       : NULL);
	json_object_object_add(row, "disk",
			       has_disk ? json_text(trace, trace_device(trace, device->disk)->name)
					: NULL);
	json_object_object_add(row, "under", json_text(trace, device->under));
	json_object_object_add(row, "backing", json_text(trace, device->backing));
	json_object_object_add(row, "balanced",
			       device->has_stat
				       ? json_object_new_boolean(device_stat_balance(device))
				       : NULL);
	for (int i = 0; i < STAT_KINDS; i++)
		json_object_object_add(row, device_stat_name((enum device_stat_kind)i),
				       json_stat(device, (enum device_stat_kind)i));
	return row;
}

int device_json_is_worth(const struct trace *trace, uint32_t id)
{
	const struct trace_device *device = trace_device(trace, id);

	return device->has_stat || device->group != ID_NONE;
}

json_object *cgroup_json(const struct trace *trace, uint32_t id)
{
	const struct trace_cgroup *group = trace_cgroup(trace, id);
	json_object *row = json_object_new_object();

	json_object_object_add(row, "id", json_object_new_uint64(group->id));
	json_object_object_add(row, "path", group->is_known ? json_text(trace, group->name) : NULL);
	return row;
}
