/* maps: what a process has mapped so that it can be executed. */
#pragma once

#include "procfs.h"

struct maps_row {
	uint64_t begin, end, offset;
	const char *file; /* lent for the call */
};

/* Calls with each mapping that may be executed and has a name. A process that is gone has none. */
void maps_read(const struct procfs *proc, uint32_t pid,
	       void (*call)(void *context, const struct maps_row *row), void *context);
