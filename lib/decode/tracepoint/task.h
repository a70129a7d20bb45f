/* task: perf records that are not samples: begin and end of tasks, and losses. */
#pragma once

#include "tracepoint.h"

/* Fills kind, task and union. Other types are DECODED_IGNORED. */
enum decoded task_record(const struct sample *sample, struct event *event);
