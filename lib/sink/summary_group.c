/*
 * summary_group: what block requests of each control group moved, for people and for programs.
 */
#include "device_json.h"
#include "summary.h"

#include <iotrace/device.h>
#include <json.h>
#include <string.h>

enum { TOP_GROUPS = 8, NAME_COLUMNS = 46, NAME_SIZE = 4 * 200 + 16, COLUMNS_DEFAULT = 80 };

static uint64_t bytes_of(const struct summary_group *group)
{
	return group->read + group->written;
}

/* Fills ids of at most `size` groups, the one that moved most first. */
static uint32_t find_top(const struct summary *summary, uint32_t *top, uint32_t size)
{
	uint32_t count = 0, at;

	for (uint32_t id = 0; id < summary->groups; id++) {
		if (!summary->group[id].requests)
			continue;
		for (at = count;
		     at && bytes_of(&summary->group[top[at - 1]]) < bytes_of(&summary->group[id]);
		     at--)
			;
		if (summary_make_room(top, sizeof(*top), at, &count, size))
			top[at] = id;
	}
	return count;
}

/* Where nobody made groups, all is charged to the one that is always there. */
static bool is_worth(const struct summary *summary)
{
	const struct model *model = summary->options->model;

	for (uint32_t id = 0; id < summary->groups; id++)
		if (strcmp(model_text(model, model_cgroup(model, id)->name), "/"))
			return true;
	return false;
}

static void put_group(const struct summary *summary, uint32_t id, FILE *out)
{
	const struct model *model = summary->options->model;
	const struct summary_group *group = &summary->group[id];
	str_id name = model_cgroup(model, id)->name;
	char count[SUMMARY_NUMBER], read[SUMMARY_NUMBER], written[SUMMARY_NUMBER], text[NAME_SIZE];
	int more = summary->options->columns - COLUMNS_DEFAULT;
	size_t columns = NAME_COLUMNS + (more < 0 ? 0U : more > 154 ? 154U : (uint32_t)more);

	fprintf(out, "%10s%10s%10s  %s\n", summary_count(count, group->requests),
		group->read ? summary_bytes(read, group->read) : "-",
		group->written ? summary_bytes(written, group->written) : "-",
		summary_name(text, sizeof(text), model_text(model, name),
			     strtab_length(model_strings(model), name), columns));
}

void summary_group_text(const struct summary *summary, const char *bold, const char *plain,
			FILE *out)
{
	uint32_t top[TOP_GROUPS], count = find_top(summary, top, TOP_GROUPS);

	if (!is_worth(summary))
		return;
	fprintf(out, "\n%s%10s%10s%10s  %s%s\n", bold, "requests", "read", "written",
		"control groups with the most data on disks", plain);
	for (uint32_t i = 0; i < count; i++)
		put_group(summary, top[i], out);
}

json_object *summary_group_json(const struct summary *summary)
{
	json_object *all = json_object_new_array();

	for (uint32_t id = 0; id < summary->groups; id++) {
		const struct summary_group *group = &summary->group[id];
		json_object *row = cgroup_json(summary->options->model, id);

		json_object_object_add(row, "requests", json_object_new_uint64(group->requests));
		json_object_object_add(row, "read", json_object_new_uint64(group->read));
		json_object_object_add(row, "written", json_object_new_uint64(group->written));
		json_object_array_add(all, row);
	}
	return all;
}
