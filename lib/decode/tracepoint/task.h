/*
 * task: records of perf that are no samples: lives of tasks, and losses.
 */
#ifndef IOTRACE_DECODE_TASK_H
#define IOTRACE_DECODE_TASK_H

#include "tracepoint.h"

/* Fills kind, task and union. Types that say nothing of this are DECODED_IGNORED. */
enum decoded task_record(const struct sample *sample, struct event *event);

#endif
