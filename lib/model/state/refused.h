/*
 * refused: features that the kernel refused: see <iotrace/refused.h>. What is missing because of that is counted at once, or with
 * the calls that need the feature.
 */
#pragma once

#include "state.h"

void refused_fact(struct model *m, const struct event *event);
/* A call has ended: counts what it misses. */
void refused_see(struct model *m, const struct call_row *row, int64_t result);
