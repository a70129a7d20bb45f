/* mapping: mapped files by address, so that munmap and msync find their file. */
#pragma once

#include "state/state.h"

/* A mapping as a thread created it. */
struct mapped {
	uint32_t open; /* ID_NONE: memory without a file */
	uint32_t tid;
	bool is_written; /* stores reach the file */
};

/* Memory at [start, end) of a process, sorted and without overlap; holds its open. */
struct mapping {
	uint64_t start, end;
	uint64_t since;
	uint32_t open;
	uint32_t tid;
	file_id written; /* the file that stores reach; ID_NONE: none, or unknown */
};

/* The writable shared mappings of a file. */
struct mapped_file {
	uint32_t mappings;
	uint32_t process;          /* the last process that created one */
	bool is_stored, is_loaded; /* through mappings that are not recorded */
	bool is_code;              /* it is a program or a library */
	bool was_mapped;
	bool is_written_back; /* the kernel or a call wrote pages of it since it was mapped */
};

/* Maps [start, start + size). Earlier mappings there end. */
void mapping_set(struct model *m, uint32_t process, uint64_t start, uint64_t size,
		 struct mapped mapped);
/* Unmaps [start, start + size), except what another thread mapped there after `time`. */
void mapping_unset(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint64_t time);
/* Returns the open of the first mapping in [start, start + size) that existed at `time`, or ID_NONE. Not held. */
uint32_t mapping_find(const struct model *m, uint32_t process, uint64_t start, uint64_t size,
		      uint64_t time);
/* Returns a writable shared mapping of the file in the last process that created one, and this process; or NULL. */
const struct mapping *mapping_of_file(const struct model *m, file_id file, uint32_t *process);
/* Pages of the file were written to the disk. ID_NONE is allowed. */
void mapping_written(struct model *m, file_id file);
/* The same for the files that are mapped writable in [start, start + size), if they were mapped there at `time`. */
void mapping_written_at(struct model *m, uint32_t process, uint64_t start, uint64_t size,
			uint64_t time);
/* Counts files whose stores were not written to the disk, and files that were used through unrecorded mappings. */
void mapping_end(struct model *m);
/* A file is mapped, but mappings are not recorded. */
void mapping_unrecorded(struct model *m, const struct event *event);
/* Copy the mappings of the parent for a child; remove all after an exec and at the end. */
void mapping_copy(struct model *m, uint32_t from, uint32_t to);
void mapping_clear(struct model *m, uint32_t process);
