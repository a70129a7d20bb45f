/*
 * task: records of perf that are no samples: lives of tasks, and losses.
 */
#pragma once

#include "tracepoint.h"

/* Fills kind, task and union. Types that say nothing of this are DECODED_IGNORED. */
enum decoded task_record(const struct sample *sample, struct event *event);
