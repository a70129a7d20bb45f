/*
 * fact_in: what facts change in the model.
 */
#ifndef IOTRACE_MODEL_FACT_IN_H
#define IOTRACE_MODEL_FACT_IN_H

#include "state.h"

void fact_in(struct model *m, const struct event *event);

#endif
