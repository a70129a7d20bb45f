/*
 * counter: -E, counters that are read along with each end of a call. Names are libpfm4's.
 */
#pragma once

#include "perf_event.h"

/* Returns 0 and the attr that counts what `name` says, or -errno with a sentence (with near names, if unknown). */
int counter_find(const char *name, struct perf_event_attr *attr, struct error *err);
/*
 * Makes the spec `leader` read counters along with each sample: they become its group. To be called just after
 * the leader was added.
 */
int counter_add(struct perf_set *set, int leader, const char *const *name, uint32_t count,
		struct error *err);
/* Returns the number of events that libpfm4 knows for the processor of this machine, and its name. */
int counter_pmu(char *name, size_t size);
