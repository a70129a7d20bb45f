/*
 * summary_group_json: what block requests of each control group moved, for programs.
 */
#include "books/device_json.h"
#include "summary.h"

#include <iotrace/trace.h>
#include <json.h>

json_object *summary_group_json(const struct summary *summary)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < summary->collect->groups; id++) {
		const struct collect_group *group = &summary->collect->group[id];
		json_object *row = cgroup_json(summary->collect->trace, id);

		json_object_object_add(row, "requests", json_object_new_uint64(group->requests));
		json_object_object_add(row, "read", json_object_new_uint64(group->read));
		json_object_object_add(row, "written", json_object_new_uint64(group->written));
		json_object_array_add(all, row);
	}
	return all;
}
