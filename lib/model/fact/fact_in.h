/* fact_in: applies facts to the model. */
#pragma once

#include "state/state.h"

/* Whether the duration is that of the recording instead of that of the command: with -a, with -p, or if the command still runs. */
bool host_lasts_until_end(const struct model *m);
void fact_in(struct model *m, const struct event *event);
