/* summary_group_json: data of block requests for each control group, for programs. */
#include "books/device_json.h"
#include "books/json_text.h"
#include "summary.h"

#include <iotrace/trace.h>
#include <json.h>

json_object *summary_group_json(const struct summary *summary)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < summary->collect->groups; id++) {
		const struct collect_group *group = &summary->collect->group[id];
		json_object *row = cgroup_json(summary->collect->trace, id);

		json_set_number(row, "requests", group->requests);
		json_set_number(row, "read", group->read);
		json_set_number(row, "written", group->written);
		json_object_array_add(all, row);
	}
	return all;
}
