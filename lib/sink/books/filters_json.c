#include "filters_json.h"

#include "json_text.h"

#include <iotrace/syscall.h>

uint32_t filters_groups(const struct trace *trace, uint32_t selection, uint32_t all)
{
	for (uint32_t i = 0; i < trace_filters(trace); i++) {
		const struct trace_filter *filter = trace_filter(trace, i);

		if (filter->kind == FILTER_GROUPS && filter->selection == selection)
			return filter->groups;
	}
	return all;
}

uint32_t filters_all_groups(const struct trace *trace, uint32_t all)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < trace_commands(trace); i++)
		groups |= filters_groups(trace, trace_command(trace, i)->selection, all);
	return groups ? groups : all;
}

json_object *filters_json_groups(uint32_t groups)
{
	json_object *names = groups ? json_object_new_array() : NULL;

	for (int i = 0; groups && i < GROUP_COUNT; i++) {
		if (groups & 1U << i)
			json_object_array_add(names, json_object_new_string(
							     call_group_name((enum call_group)i)));
	}
	return names;
}

static json_object *globs(const struct trace *trace, uint32_t selection, enum fact_filter kind)
{
	json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < trace_filters(trace); i++) {
		const struct trace_filter *filter = trace_filter(trace, i);

		if (filter->kind == kind && filter->selection == selection)
			json_object_array_add(array, json_text(trace, filter->text));
	}
	return array;
}

json_object *filters_json(const struct trace *trace, uint32_t selection, uint32_t all)
{
	json_object *row = json_object_new_object();

	json_set(row, "syscalls", filters_json_groups(filters_groups(trace, selection, all)));
	json_set(row, "comm", globs(trace, selection, FILTER_COMM));
	json_set(row, "path", globs(trace, selection, FILTER_PATH_INCLUDED));
	json_set(row, "exclude_path", globs(trace, selection, FILTER_PATH_EXCLUDED));
	return row;
}
