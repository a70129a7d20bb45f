/* fact_in: applies facts to the model. */
#pragma once

#include "state/state.h"

void fact_in(struct model *m, const struct event *event);
