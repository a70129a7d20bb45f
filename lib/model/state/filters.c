/*
 * filters: the facts FILTER.
 */
#include "filters.h"

#include <iotrace/filters.h>
#include <stdlib.h>
#include <string.h>

void filters_add(struct model *m, enum fact_filter kind, str_id text)
{
	struct filters *f = &m->filters;

	MEM_GROW(f->filter, f->cap, f->count + 1);
	f->filter[f->count++] = (struct model_filter){kind, text};
}

void filters_release(struct model *m)
{
	free(m->filters.filter);
}

void filters_left_out(struct model *m, uint32_t task)
{
	struct filters *f = &m->filters;
	str_id name = m->task[task].name;

	if (!name || f->others == MODEL_OTHERS)
		return;
	for (uint32_t i = 0; i < f->others; i++)
		if (f->other[i] == name)
			return;
	f->other[f->others++] = name;
}

uint32_t model_filters(const struct model *m)
{
	return m->filters.count;
}

const struct model_filter *model_filter(const struct model *m, uint32_t index)
{
	return &m->filters.filter[index];
}

uint32_t model_others(const struct model *m, str_id name[MODEL_OTHERS])
{
	memcpy(name, m->filters.other, sizeof(m->filters.other));
	return m->filters.others;
}

bool model_met_path(const struct model *m)
{
	return !m->name_filter || m->filters.has_met_path;
}

uint64_t model_calls_elsewhere(const struct model *m)
{
	return m->filters.calls_elsewhere;
}
