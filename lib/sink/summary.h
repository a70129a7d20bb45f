/*
 * summary: what a run did, gathered by summary.c, told by summary_text.c (people) and summary_json.c.
 *
 * Every call but those of the group "task" is booked once, by its kind (a class) and by the file it concerned,
 * with the time from its Enter to its Leave. Bytes come from the operations inside. Requests of block devices are
 * booked apart. Memory grows with files, threads and devices, never with calls.
 */
#ifndef IOTRACE_SUMMARY_H
#define IOTRACE_SUMMARY_H

#include "histogram.h"
#include "summary_device.h"

#include <iotrace/map.h>
#include <iotrace/sink.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum summary_class {
	SUMMARY_READ,
	SUMMARY_WRITE,
	SUMMARY_COPY, /* sendfile, splice, copy_file_range */
	SUMMARY_SYNC,
	SUMMARY_OPEN,
	SUMMARY_CLOSE,
	SUMMARY_OTHER, /* stat, lseek, unlink, fcntl, getdents ... */
	SUMMARY_ASYNC, /* operations that outlive their call; their time is nobody's waiting */
	SUMMARY_CLASSES
};

/* Where I/O goes that concerns no named file. */
enum summary_place {
	SUMMARY_FILES,
	SUMMARY_PIPES,
	SUMMARY_SOCKETS,
	SUMMARY_UNNAMED, /* descriptors whose name could not be learned */
	SUMMARY_REST,    /* event descriptors, calls that concern no descriptor */
	SUMMARY_PLACES
};

struct summary_row {
	uint64_t ops, read, written, time;
};

struct summary_call_class {
	struct summary_row row;
	uint64_t failed;
	struct histogram latency;
};

struct summary_fault {
	int error;
	call_id call;
	uint64_t count;
};

enum { SUMMARY_DEPTH = 4 };

struct summary_thread {
	uint32_t
		depth; /* of calls that are open; those beyond SUMMARY_DEPTH are counted in their parent */
	struct summary_frame {
		call_id call;
		uint64_t enter;
		file_id file;
		enum summary_place place;
	} frame[SUMMARY_DEPTH];
};

struct summary {
	const struct sink_options *options; /* lent */
	struct summary_call_class classes[SUMMARY_CLASSES];
	struct summary_row place[SUMMARY_PLACES];
	struct summary_row total;
	struct summary_row *file; /* by file_id */
	uint32_t files, files_cap;
	struct summary_thread *thread; /* by thread_id */
	uint32_t threads, threads_cap;
	struct summary_fault *fault; /* one for each error and call */
	uint32_t faults, faults_cap;
	struct map fault_of; /* error and call to index in fault */
	struct map issued;   /* id of an asynchronous operation to slot */
	struct summary_async {
		uint64_t begin;
		uint32_t next_free;
	} * async;
	uint32_t asyncs, asyncs_cap, free_async;
	struct summary_device **device; /* by number in the model; NULL: no request */
	uint32_t devices, devices_cap;
	struct summary_group *group; /* control groups, by number in the model */
	uint32_t groups, groups_cap;
	uint64_t failed;
};

void summary_init(struct summary *summary, const struct sink_options *options);
void summary_event(struct summary *summary, const struct io_event *event);
void summary_release(struct summary *summary);

const char *summary_class_name(enum summary_class id);
const char *summary_place_name(enum summary_place place);
/* Returns how many threads did I/O. */
uint32_t summary_threads(const struct summary *summary);
/* Returns how long the threads that did I/O lived, in sum, ns. */
uint64_t summary_lifetimes(const struct summary *summary);
/* Returns from the first to the last event, ns. */
uint64_t summary_wall(const struct summary *summary);
/* Fills ids of at most `size` files, the largest first: by bytes, or by time. Those with nothing are left out. */
uint32_t summary_top(const struct summary *summary, bool by_time, file_id *top, uint32_t size);
/* Fills at most `size` errors, most frequent first: .call is that which met it most often, .count all of it. */
struct summary_error {
	int error;
	call_id call;
	uint64_t count, by_call;
};
uint32_t summary_errors(const struct summary *summary, struct summary_error *top, uint32_t size);

void summary_text(const struct summary *summary, bool is_color, FILE *out);
void summary_json(const struct summary *summary, FILE *out);
/* The tables of devices, if there were any: the part of summary_text() that stands in summary_device_text.c. */
void summary_device_text(const struct summary *summary, const char *bold, const char *plain,
			 FILE *out);
struct json_object *summary_device_json(const struct summary *summary);
/* The same of control groups: summary_group.c. */
void summary_group_text(const struct summary *summary, const char *bold, const char *plain,
			FILE *out);
struct json_object *summary_group_json(const struct summary *summary);

/* Numbers for people; each returns out. "1.25 GiB", "12.3 ms", "1,234,567". */
enum { SUMMARY_NUMBER = 32 };
const char *summary_bytes(char out[SUMMARY_NUMBER], uint64_t bytes);
const char *summary_time(char out[SUMMARY_NUMBER], uint64_t ns);
const char *summary_count(char out[SUMMARY_NUMBER], uint64_t count);
/*
 * Makes room in a list of the largest, of at most `size` elements of `width` bytes, for one that goes behind `at` others. Returns
 * false if the list is full of those.
 */
bool summary_make_room(void *top, size_t width, uint32_t at, uint32_t *count, uint32_t size);
/*
 * Returns out: a name made fit for a terminal, cut in its middle if it takes more than `columns`. `size` must
 * have room for 4 bytes a column, and as many as 16 more.
 */
const char *summary_name(char *out, size_t size, const char *bytes, size_t length, size_t columns);

#ifdef __cplusplus
}
#endif
#endif
