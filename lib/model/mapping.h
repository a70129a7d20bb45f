/*
 * mapping: which files are mapped where, so that munmap and msync have the file that their address means.
 */
#ifndef IOTRACE_MODEL_MAPPING_H
#define IOTRACE_MODEL_MAPPING_H

#include "state.h"

/* Memory at [start, end) of a process, rising and without overlap; holds its open. */
struct mapping {
	uint64_t start, end;
	uint64_t since;
	uint32_t open;
};

/* [start, start + size) is the open's file now (ID_NONE: no file's). What was there before ends. */
void mapping_set(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint32_t open);
/* [start, start + size) is nothing's; but what was mapped there after `time`, by another thread, stays. */
void mapping_unset(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint64_t time);
/* Returns the open of the first mapping in [start, start + size) that was there at `time`, or ID_NONE. Not held. */
uint32_t mapping_find(const struct model *m, uint32_t process, uint64_t start, uint64_t size,
		      uint64_t time);
/* A child has what its parent has mapped; after exec and at the end there is nothing. */
void mapping_copy(struct model *m, uint32_t from, uint32_t to);
void mapping_clear(struct model *m, uint32_t process);

#endif
