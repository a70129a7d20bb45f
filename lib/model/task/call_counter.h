/*
 * call_counter: counters of -E, which the kernel says at the end of each call.
 */
#pragma once

#include "state/state.h"

/* Adds what an exit said to the thread's totals and emits them. */
void call_counter_add(struct model *m, uint32_t task, const struct event *event);
void call_counter_release(struct task *task);
