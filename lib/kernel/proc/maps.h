/* maps: the executable mappings of a process. */
#pragma once

#include "procfs.h"

struct maps_row {
	uint64_t begin, end, offset;
	const char *file; /* lent for the call */
};

/* Calls back for each executable mapping that has a name. A process that has ended has none. */
void maps_read(const struct procfs *proc, uint32_t pid,
	       void (*call)(void *context, const struct maps_row *row), void *context);
