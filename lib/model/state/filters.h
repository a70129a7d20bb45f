/* filters: see <iotrace/filters.h>. The facts FILTER, and what was left out because of them. */
#pragma once

#include "state.h"

void filters_add(struct model *m, const struct trace_filter *filter);
/* A call of the task is left out. */
void filters_add_excluded(struct model *m, uint32_t task);
