/* filters: applies the facts FILTER. */
#include "filters.h"

void filters_add(struct model *m, const struct trace_filter *filter)
{
	struct trace_filters *f = &m->trace.filters;

	MEM_GROW(f->filter, f->cap, f->count + 1);
	f->filter[f->count++] = *filter;
}

void filters_add_excluded(struct model *m, uint32_t task)
{
	struct trace_filters *f = &m->trace.filters;
	str_id name = m->task[task].name;

	if (!name || f->others == TRACE_OTHERS)
		return;
	for (uint32_t i = 0; i < f->others; i++)
		if (f->other[i] == name)
			return;
	f->other[f->others++] = name;
}
