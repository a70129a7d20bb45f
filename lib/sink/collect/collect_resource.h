/* collect_resource: finds the resource of a file or a descriptor. */
#pragma once

#include "collect.h"

/* Returns a word for JSON: "files", "pipes" ... */
const char *collect_resource_name(enum collect_resource resource);
/* Returns whether time at the resource is time spent waiting for another process, a user or a lock. */
bool collect_is_wait(enum collect_resource resource);
/* Returns the resource of a file: by its file system if the stream names it, otherwise by its path. */
enum collect_resource collect_resource_of_file(const struct trace *trace, file_id file);
/* Returns the resource of a handle without a known file. */
enum collect_resource collect_resource_of_handle(const struct trace *trace,
						 const struct trace_handle *handle);
/* Returns the resource of a region that concerns no known descriptor. */
enum collect_resource collect_resource_of_region(const struct trace_region *region);
/* Returns the class of a region. */
enum collect_class collect_class_of(const struct trace_region *region);
