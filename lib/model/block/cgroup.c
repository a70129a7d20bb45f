#include "cgroup.h"

#include <inttypes.h>
#include <stdio.h>

static void set_name(struct model *m, struct trace_cgroup *group, str_id path)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "cgroup:[%" PRIu64 "]", group->id);

	group->is_known = path != 0;
	group->name = path ? path : model_string(m, text, (size_t)length);
}

uint32_t cgroup_get(struct model *m, uint64_t id)
{
	uint32_t index = id ? map_get(&m->cgroup_by_id, id) : ID_NONE, path;

	if (index != MAP_NONE || !id)
		return index;
	index = m->trace.cgroups;
	MEM_GROW(m->trace.cgroup, m->trace.cgroups_cap, index + 1);
	m->trace.cgroups++;
	map_set(&m->cgroup_by_id, id, index);
	path = map_get(&m->cgroup_path, id);
	m->trace.cgroup[index].id = id;
	set_name(m, &m->trace.cgroup[index], path == MAP_NONE ? 0 : path);
	return index;
}

void cgroup_fact(struct model *m, const struct event *event)
{
	const struct fact_string *path = &event->fact.string[FACT_CGROUP_path];
	uint64_t id = event->fact.number[FACT_CGROUP_id];
	uint32_t index = map_get(&m->cgroup_by_id, id);
	str_id name = model_string(m, path->at, path->length);

	if (!name)
		return;
	map_set(&m->cgroup_path, id, name);
	if (index != MAP_NONE)
		set_name(m, &m->trace.cgroup[index], name);
}

void cgroup_release(struct model *m)
{
	map_release(&m->cgroup_by_id);
	map_release(&m->cgroup_path);
}
