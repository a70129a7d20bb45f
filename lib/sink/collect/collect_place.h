/* collect_place: which place a file or a descriptor belongs to. */
#pragma once

#include "collect.h"

/* Returns a word for JSON: "files", "pipes" ... */
const char *collect_place_name(enum collect_place place);
/* Returns whether time there is time spent waiting for somebody else: another process, a user, a lock. */
bool collect_is_wait(enum collect_place place);
/* Returns the place of a file, by its file system where the stream names it, else by its path. */
enum collect_place collect_place_of_file(const struct trace *trace, file_id file);
/* Returns the place of a handle without a known file. */
enum collect_place collect_place_of_handle(const struct trace *trace,
					   const struct trace_handle *handle);
/* Returns the place of a region that concerns no descriptor, or none that is known. */
enum collect_place collect_place_of_region(const struct trace_region *region);
/* Returns the class of a region. */
enum collect_class collect_class_of(const struct trace_region *region);
