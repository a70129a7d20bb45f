/*
 * mapping: which files are mapped where, so that munmap and msync have the file that their address means.
 */
#pragma once

#include "state/state.h"

/* What a thread mapped. */
struct mapped {
	uint32_t open; /* ID_NONE: no file's */
	uint32_t tid;
	bool is_written; /* what is stored there goes to the file */
};

/* Memory at [start, end) of a process, rising and without overlap; holds its open. */
struct mapping {
	uint64_t start, end;
	uint64_t since;
	uint32_t open;
	uint32_t tid;
	file_id written; /* the file that what is stored there goes to; ID_NONE: none, or not known */
};

/* The mappings that a file is written through. */
struct mapped_file {
	uint32_t mappings;
	uint32_t process;          /* that made one last */
	bool is_stored, is_loaded; /* by mappings of which nothing is recorded */
	bool is_code;              /* ... and it is a program or a library */
	bool was_mapped;
	bool is_written_back; /* some of it was written since it was mapped, by the kernel or by a call */
};

/* [start, start + size) is that now. What was there before ends. */
void mapping_set(struct model *m, uint32_t process, uint64_t start, uint64_t size,
		 struct mapped mapped);
/* [start, start + size) is nothing's; but what was mapped there after `time`, by another thread, stays. */
void mapping_unset(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint64_t time);
/* Returns the open of the first mapping in [start, start + size) that was there at `time`, or ID_NONE. Not held. */
uint32_t mapping_find(const struct model *m, uint32_t process, uint64_t start, uint64_t size,
		      uint64_t time);
/* Returns one that the file is written through, of the process that made one last, and which process that is; or NULL. */
const struct mapping *mapping_of_file(const struct model *m, file_id file, uint32_t *process);
/* The file was written to its disk. ID_NONE is allowed. */
void mapping_written(struct model *m, file_id file);
/* So were the files that [start, start + size) writes to, as far as they were mapped there at `time`. */
void mapping_written_at(struct model *m, uint32_t process, uint64_t start, uint64_t size,
			uint64_t time);
/* Counts the files whose stores were not written to the disk, and those that were used through unrecorded mappings. */
void mapping_end(struct model *m);
/* Mappings are not recorded, and one of a file is made. */
void mapping_unrecorded(struct model *m, const struct event *event);
/* A child has what its parent has mapped; after exec and at the end there is nothing. */
void mapping_copy(struct model *m, uint32_t from, uint32_t to);
void mapping_clear(struct model *m, uint32_t process);
