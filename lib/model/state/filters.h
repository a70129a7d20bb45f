/* filters: see <iotrace/filters.h>. The filters of the recording, and what they excluded. */
#pragma once

#include "state.h"

void filters_add(struct model *m, const struct trace_filter *filter);
/* Counts an excluded call of the task. */
void filters_add_excluded(struct model *m, uint32_t task);
