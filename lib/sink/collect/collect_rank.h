/* collect_rank: totals of the run, and the largest processes, files, devices, control groups and errors. */
#pragma once

#include "collect.h"

/* The main numbers of the run. Times are in ns, shares from 0 to 1, rates in bytes per second. */
struct collect_verdict {
	uint64_t wall;  /* time from the first to the last event */
	uint64_t lived; /* sum of the lifetimes of all threads that did I/O */
	uint64_t file_time, wait_time;
	double file_share, wait_share; /* shares of that sum */
	uint64_t read, written;        /* bytes read from and written to files */
	double read_rate, write_rate;
};
struct collect_verdict collect_verdict(const struct collect *collect);
/* Returns how many threads did I/O. */
uint32_t collect_threads(const struct collect *collect);
/* Returns how many processes did I/O; processes that share locations count once. */
uint32_t collect_processes(const struct collect *collect);
/* Returns bytes per second over the whole run. */
double collect_rate(const struct collect *collect, uint64_t bytes);

/* Each returns a sorted list of ids, which the caller releases. It contains only ids with any activity; .seen is their number. */
struct top collect_top_processes(const struct collect *collect, enum sink_sort sort, uint32_t size);
/* Of files of one resource: RESOURCE_FILES, RESOURCE_KERNEL ... */
struct top collect_top_files(const struct collect *collect, enum collect_resource resource,
			     enum sink_sort sort, uint32_t size);
struct top collect_top_classes(const struct collect *collect, enum sink_sort sort, uint32_t size);
struct top collect_top_devices(const struct collect *collect, enum sink_sort sort, uint32_t size);
struct top collect_top_groups(const struct collect *collect, enum sink_sort sort, uint32_t size);
/* Returns indices in share[]: the processes of a file, the one with the most data first. */
struct top collect_top_shares(const struct collect *collect, file_id file, uint32_t size);
