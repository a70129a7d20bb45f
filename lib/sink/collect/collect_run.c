#include "collect.h"

#include <iotrace/pause.h>

uint64_t collect_wall(const struct collect *collect)
{
	return trace_recorded(collect->trace);
}
