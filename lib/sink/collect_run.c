/*
 * collect_run: figures of the whole recording. See collect.h.
 */
#include "collect.h"

uint64_t collect_wall(const struct collect *collect)
{
	const struct trace_host *host = trace_host(collect->trace);

	return host->last_time > host->first_time ? host->last_time - host->first_time : 0;
}
