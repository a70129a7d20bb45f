/*
 * live_filter: the filters of perf's events: which calls, and of tasks with which names, the kernel records.
 *
 * A filter is that of an event when it is opened for a thread. So each command that joins has the filters of its own selection.
 */
#pragma once

#include "perf/perf_event.h"

#include <iotrace/recording.h>

enum { FILTER_SIZE_MAX = 4095 }; /* the kernel takes less than a page */

struct live;

/* Returns the filter of events with this role, which the caller frees; NULL: all of them are wanted. */
char *live_filter(const struct live *live, enum perf_role role,
		  const struct recording_selection *selection);
/* Returns that of events of the chosen block devices, or of those that stand on them; NULL: all. */
char *live_filter_of_devices(const struct live *live, bool has_old_dev);
/* Excludes only what iotrace itself does. Takes the filter, which may be NULL. */
char *live_filter_without_own(const struct live *live, char *filter);
/* Events that are opened from now on have the filters of this selection. Returns 0, or -errno with a sentence. */
int live_filter_choose(struct live *live, const struct recording_selection *selection,
		       struct error *err);
/* A filter that is longer is refused by the kernel. Returns 0, or -errno with a sentence. `name` is that of the event. */
int live_filter_check(const char *name, const char *filter, struct error *err);
