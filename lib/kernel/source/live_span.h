/*
 * live_span: spans that BPF programs count. If they cannot count a span, its events are recorded instead.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct live;

/* Attaches the programs, still disabled, if calls are recorded through BPF. */
void live_span_open(struct live *live);
/* Enables the programs: spans are counted from now on. */
void live_span_start(struct live *live);
/* Returns whether the kernel counts all that is wanted, so that the recording has only processes and threads. */
bool live_span_counts_all(const struct live *live);
/* Counts none of them: the records of calls have all. */
void live_span_give_up(struct live *live);
/* Adds facts of new control groups if a span is grouped by them: at most once a second. */
void live_span_add_group_facts(struct live *live);
/* Disables them. Their numbers can be read until they are closed. */
void live_span_stop(struct live *live);
void live_span_close(struct live *live);
