/*
 * live_filter: the filters of perf's events: the calls that the kernel records, and the names of their tasks.
 *
 * An event gets its filter when it is opened for a thread. So each command that joins has the filters of its own selection.
 */
#pragma once

#include "perf/perf_event.h"

#include <iotrace/recording.h>

enum { FILTER_SIZE_MAX = 4095 }; /* the kernel takes less than a page */

struct live;

/* Returns the filter for events with this role, which the caller frees; NULL: all of them pass. */
char *live_filter(const struct live *live, enum perf_role role,
		  const struct recording_selection *selection);
/* Returns "A", or "(A)&&B". It takes over both; either may be NULL. */
char *live_filter_both(char *a, char *b);
/* Returns the filter for the chosen block devices and the devices that stand on them; NULL: all pass. */
char *live_filter_of_devices(const struct live *live, bool has_old_dev);
/* Returns a filter that also excludes the events of iotrace itself. Takes over `filter`, which may be NULL. */
char *live_filter_without_own(const struct live *live, char *filter);
/* From now on, events are opened with the filters of this selection. Returns 0, or -errno with a message. */
int live_filter_choose(struct live *live, const struct recording_selection *selection,
		       struct error *err);
/* The kernel refuses longer filters. Returns 0, or -errno with a message. `name` is that of the event. */
int live_filter_check(const char *name, const char *filter, struct error *err);
