/*
 * live_needs: see live_needs.h.
 *
 * Samples of tracepoints do not say their user. With perf, the users of processes are looked up. BPF programs look at the user in each
 * call instead, which says nothing about other events.
 */
#include "live_needs.h"

#include <iotrace/recording.h>
#include <stddef.h>

static bool has_events(const struct recording *recording)
{
	return recording->tracepoints.count || recording->everywhere.count;
}

const char *live_needs_perf(const struct recording *recording)
{
	if (recording->source == SOURCE_PERF)
		return "--source=perf";
	if (recording->counters.count)
		return "-E: counters need perf's samples";
	if (recording->users.ids.count && has_events(recording) && !recording->has_checked_users)
		return "--uid together with -e or --span: events do not say their user, and only perf's "
		       "recorder looks up the users of processes";
	return NULL;
}
