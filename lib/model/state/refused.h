/* refused: see <iotrace/refused.h>. What is missing for that is counted: at once, or with the calls that ask for it. */
#pragma once

#include "state.h"

void refused_fact(struct model *m, const struct event *event);
/* A call has ended. */
void refused_see(struct model *m, const struct call_row *row, int64_t result);
