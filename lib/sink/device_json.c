/*
 * device_json: see device_json.h.
 */
#include "device_json.h"

#include "device_stat.h"
#include "json_text.h"

#include <iotrace/device.h>
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

static json_object *json_stat(const struct model_device *device, enum device_stat_kind kind)
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

json_object *device_json(const struct model *model, uint32_t id)
{
	const struct model_device *device = model_device(model, id);
	json_object *row = json_object_new_object();
	bool has_disk = device->disk < model_devices(model);

	json_object_object_add(row, "name", json_text(model, device->name));
	json_object_object_add(row, "dev", json_dev(device->dev));
	json_object_object_add(row, "model", json_text(model, device->model));
	json_object_object_add(row, "scheduler", json_text(model, device->scheduler));
	json_object_object_add(row, "rotational",
			       device->is_known ? json_object_new_boolean(device->is_rotational)
						: NULL);
	json_object_object_add(row, "size",
			       device->sectors
				       ? json_object_new_uint64(device->sectors * SECTOR_SIZE)
				       : NULL);
	json_object_object_add(row, "disk",
			       has_disk ? json_text(model, model_device(model, device->disk)->name)
					: NULL);
	json_object_object_add(row, "under", json_text(model, device->under));
	json_object_object_add(row, "backing", json_text(model, device->backing));
	json_object_object_add(row, "balanced",
			       device->has_stat
				       ? json_object_new_boolean(device_stat_balance(device))
				       : NULL);
	for (int i = 0; i < STAT_KINDS; i++)
		json_object_object_add(row, device_stat_name((enum device_stat_kind)i),
				       json_stat(device, (enum device_stat_kind)i));
	return row;
}

int device_json_is_worth(const struct model *model, uint32_t id)
{
	const struct model_device *device = model_device(model, id);

	return device->has_stat || device->group != ID_NONE;
}

json_object *cgroup_json(const struct model *model, uint32_t id)
{
	const struct model_cgroup *group = model_cgroup(model, id);
	json_object *row = json_object_new_object();

	json_object_object_add(row, "id", json_object_new_uint64(group->id));
	json_object_object_add(row, "path", group->is_known ? json_text(model, group->name) : NULL);
	return row;
}
