/* counter: counters (-E) that are read with each end of a call. Their names are those of libpfm4. */
#pragma once

#include "perf_event.h"

/* Returns 0 and the attr of the counter `name`, or -errno with a message that suggests similar names. */
int counter_find(const char *name, struct perf_event_attr *attr, struct error *err);
/*
 * Makes the counters a group of the spec `leader`, so that each of its samples has them. Call it just after the leader was added.
 */
int counter_add(struct perf_set *set, int leader, const char *const *name, uint32_t count,
		struct error *err);
/* Returns the number of events that libpfm4 knows for the processor of this machine, and its name. */
int counter_pmu(char *name, size_t size);
