/* call_counter: counters of -E, which the kernel reports at the end of each call. */
#pragma once

#include "state/state.h"

/* Adds the counters of an end to the totals of the thread, and emits them. */
void call_counter_add(struct model *m, uint32_t task, const struct event *event);
void call_counter_release(struct task *task);
