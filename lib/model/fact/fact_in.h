/*
 * fact_in: what facts change in the model.
 */
#pragma once

#include "state/state.h"

/* Whether the recording is longer than what the command did: all processes are recorded, or those of -p, or it still runs. */
bool host_lasts_until_end(const struct model *m);
void fact_in(struct model *m, const struct event *event);
