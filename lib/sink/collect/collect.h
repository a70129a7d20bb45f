/*
 * collect: the numbers of a run. collect.c adds up while events arrive; collect_rank.c selects the largest. Every output of a
 * summary takes all numbers from here, so no two can disagree.
 *
 * Every call, except those of the group "task", is counted once: in its class, for its resource, for its process and for its
 * file, with the time from its Enter to its Leave. The operations inside give the number of bytes. Operations that outlive their
 * call have a separate count and time, because they overlap. Requests of block devices are separate: collect_device.h. Memory
 * grows with files, processes, threads and devices, never with calls. All numbers are sums or histograms, so collections of two
 * runs could be added.
 */
#pragma once

#include "collect_counter.h"
#include "collect_device.h"
#include "collect_fault.h"
#include "top.h"

#include <iotrace/cold.h>
#include <iotrace/histogram.h>
#include <iotrace/map.h>
#include <iotrace/sink.h>
#include <iotrace/trace.h>

enum collect_class {
	CLASS_READ,
	CLASS_WRITE,
	CLASS_COPY, /* sendfile, splice, copy_file_range */
	CLASS_SYNC,
	CLASS_OPEN,
	CLASS_CLOSE,
	CLASS_FAULT, /* page faults that read a mapped file */
	CLASS_META,  /* stat, access, unlink, rename, chmod ...: --syscalls=meta */
	CLASS_DIR,   /* getdents */
	CLASS_OTHER, /* lseek, fcntl, dup, connect, io_submit ... */
	CLASS_ASYNC, /* operations that outlive their call; no thread waits for them */
	CLASSES
};

/* What a call is about. Time at the first resource is file I/O; time at the next five is mostly waiting for others. */
enum collect_resource {
	RESOURCE_FILES,
	RESOURCE_PIPES,
	RESOURCE_SOCKETS,
	RESOURCE_TERMINALS,
	RESOURCE_LOCKS,   /* flock(), and locks of fcntl() */
	RESOURCE_ASYNC,   /* calls that submit asynchronous requests, or wait for their end */
	RESOURCE_KERNEL,  /* files that no disk holds: /proc, /sys, devices such as /dev/null */
	RESOURCE_UNNAMED, /* descriptors whose name is unknown */
	RESOURCE_OTHER,   /* event descriptors, calls that concern no descriptor */
	RESOURCES
};

struct collect_row {
	uint64_t calls, read, written; /* calls; bytes */
	uint64_t time;                 /* of calls, ns */
	/* Operations that outlive their call: number, and sum from begin to end, ns. */
	uint64_t asyncs, async_time;
};

struct collect_call_class {
	struct collect_row row;
	uint64_t failed;
	struct histogram latency;
};

/* What one process did with one file. */
struct collect_share {
	process_id process;
	uint32_t next; /* next share of the same file, ID_NONE: none */
	uint64_t bytes, time;
};

struct collect_file {
	struct collect_row row; /* its time includes waiting for locks on the file */
	uint32_t share;         /* share of the first process that used it */
	uint32_t processes;     /* 0: not used */
	enum collect_resource resource;
};

struct collect_process {
	struct collect_row files, total;
	uint64_t wait; /* time at resources for which collect_is_wait() is true, ns */
};

enum { COLLECT_DEPTH = 4 };

struct collect_thread {
	/* Number of open calls; beyond COLLECT_DEPTH, calls are counted in their parent. */
	uint32_t depth;
	uint64_t begin; /* begin of an operation outside of all calls: a page fault */
	struct collect_frame {
		region_id region;
		enum collect_class call_class;
		uint64_t enter;
		file_id file;
		str_id name; /* name of its handle, 0: none */
		enum collect_resource resource;
	} frame[COLLECT_DEPTH];
};

struct collect {
	const struct trace *trace; /* lent */
	struct collect_call_class classes[CLASSES];
	struct collect_row resource[RESOURCES], total;
	/* Areas of the next two arrays, which grow with the number of files. */
	struct cold_area file_area, share_area;
	struct collect_file *file; /* by file_id */
	uint32_t files, files_cap;
	struct collect_share *share;
	uint32_t shares, shares_cap;
	struct map
		share_of; /* maps file and process to a share, except for the first process of each file */
	/* Maps file and process to a share, except for the first process of each file. */
	struct collect_process *process;
	uint32_t processes, processes_cap;
	struct collect_thread *thread; /* by thread_id */
	uint32_t threads, threads_cap;
	struct collect_faults faults;
	struct map issued; /* maps the id of an asynchronous operation to a slot */
	struct collect_async {
		uint64_t begin;
		uint32_t next_free;
	} * async;
	uint32_t asyncs, asyncs_cap, free_async;
	/* By number in the trace; NULL: the device had no request. */
	struct collect_device **device;
	uint32_t devices, devices_cap;
	struct collect_group *group; /* by number in the trace */
	uint32_t groups, groups_cap;
	struct collect_counters counters;
	uint64_t failed;
};

void collect_init(struct collect *collect, const struct trace *trace);
void collect_event(struct collect *collect, const struct io_event *event);
void collect_release(struct collect *collect);

const char *collect_class_name(enum collect_class id);

/* Returns the time from the first to the last event, ns. */
uint64_t collect_wall(const struct collect *collect);
