/*
 * collect: the numbers of a run. collect.c adds up while events arrive; collect_rank.c selects the largest. Every output of a
 * summary takes all numbers from here, so no two can disagree.
 *
 * Every call but those of the group "task" is booked once: in its class, at its resource, for its process and for the file that it
 * concerned, with the time from its Enter to its Leave. Bytes come from the operations inside. Operations that outlive their
 * call have a count and a time of their own, since they overlap. Requests of block devices are apart: collect_device.h. Memory
 * grows with files, processes, threads and devices, never with calls; all numbers are sums or histograms, so that the
 * collections of two runs could be added.
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
	CLASS_ASYNC, /* operations that outlive their call; nobody waits for their time */
	CLASSES
};

/* What a call was about. Time at the first resource is file I/O; time at the next five is mostly waiting for others. */
enum collect_resource {
	RESOURCE_FILES,
	RESOURCE_PIPES,
	RESOURCE_SOCKETS,
	RESOURCE_TERMINALS,
	RESOURCE_LOCKS,   /* flock(), and locks of fcntl() */
	RESOURCE_ASYNC,   /* calls that submit asynchronous requests, or wait for their end */
	RESOURCE_KERNEL,  /* files that no disk holds: /proc, /sys, devices such as /dev/null */
	RESOURCE_UNNAMED, /* descriptors whose name could not be learned */
	RESOURCE_OTHER,   /* event descriptors, calls that concern no descriptor */
	RESOURCES
};

struct collect_row {
	uint64_t calls, read, written; /* calls; bytes */
	uint64_t time;                 /* of calls, ns */
	uint64_t asyncs, async_time; /* operations that outlive their call, from begin to end, ns */
};

struct collect_call_class {
	struct collect_row row;
	uint64_t failed;
	struct histogram latency;
};

/* What one process did with one file. */
struct collect_share {
	process_id process;
	uint32_t next; /* of the same file, ID_NONE: none */
	uint64_t bytes, time;
};

struct collect_file {
	struct collect_row row; /* its time includes waiting for locks of the file */
	uint32_t share;         /* of the first process that used it */
	uint32_t processes;     /* 0: nobody used it */
	enum collect_resource resource;
};

struct collect_process {
	struct collect_row files, total;
	uint64_t wait; /* time at the resources that collect_is_wait() names, ns */
};

enum { COLLECT_DEPTH = 4 };

struct collect_thread {
	uint32_t
		depth; /* of calls that are open; those beyond COLLECT_DEPTH are counted in their parent */
	uint64_t begin; /* of an operation outside of all calls: a page fault */
	struct collect_frame {
		region_id region;
		enum collect_class call_class;
		uint64_t enter;
		file_id file;
		str_id name; /* of its handle, 0: it has none */
		enum collect_resource resource;
	} frame[COLLECT_DEPTH];
};

struct collect {
	const struct trace *trace; /* lent */
	struct collect_call_class classes[CLASSES];
	struct collect_row resource[RESOURCES], total;
	struct cold_area file_area, share_area; /* of the next two: they grow with the files */
	struct collect_file *file;              /* by file_id */
	uint32_t files, files_cap;
	struct collect_share *share;
	uint32_t shares, shares_cap;
	struct map share_of; /* file and process to share, but for the first of each file */
	struct collect_process *process; /* by process_id */
	uint32_t processes, processes_cap;
	struct collect_thread *thread; /* by thread_id */
	uint32_t threads, threads_cap;
	struct collect_faults faults;
	struct map issued; /* id of an asynchronous operation to slot */
	struct collect_async {
		uint64_t begin;
		uint32_t next_free;
	} * async;
	uint32_t asyncs, asyncs_cap, free_async;
	struct collect_device **device; /* by number in the trace; NULL: no request */
	uint32_t devices, devices_cap;
	struct collect_group *group; /* control groups, by number in the trace */
	uint32_t groups, groups_cap;
	struct collect_counters counters;
	uint64_t failed;
};

void collect_init(struct collect *collect, const struct trace *trace);
void collect_event(struct collect *collect, const struct io_event *event);
void collect_release(struct collect *collect);

const char *collect_class_name(enum collect_class id);

/* Returns from the first to the last event, ns. */
uint64_t collect_wall(const struct collect *collect);
