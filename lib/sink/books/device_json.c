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

	json_set_number(row, "requests", seen.requests);
	json_set_number(row, "sectors", seen.sectors);
	json_set_known(row, "kernel_requests", device->has_stat, kernel.requests);
	json_set_known(row, "kernel_sectors", device->has_stat, kernel.sectors);
	return row;
}

json_object *device_json(const struct trace *trace, uint32_t id)
{
	const struct trace_device *device = trace_device(trace, id);
	json_object *row = json_object_new_object();
	bool has_disk = device->disk < trace_devices(trace);

	json_set_text(row, "name", trace, device->name);
	json_set(row, "dev", json_dev(device->dev));
	json_set_text(row, "model", trace, device->model);
	json_set_text(row, "scheduler", trace, device->scheduler);
	json_set(row, "rotational",
		 device->is_known ? json_object_new_boolean(device->is_rotational) : NULL);
	json_set_known(row, "size", device->sectors, device->sectors * SECTOR_SIZE);
	json_set(row, "disk",
		 has_disk ? json_text(trace, trace_device(trace, device->disk)->name) : NULL);
	json_set_text(row, "under", trace, device->under);
	json_set_text(row, "backing", trace, device->backing);
	json_set(row, "balanced",
		 device->has_stat ? json_object_new_boolean(device_stat_balance(device)) : NULL);
	for (int i = 0; i < STAT_KINDS; i++)
		json_set(row, device_stat_name((enum device_stat_kind)i),
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

	json_set_number(row, "id", group->id);
	json_set(row, "path", group->is_known ? json_text(trace, group->name) : NULL);
	return row;
}
