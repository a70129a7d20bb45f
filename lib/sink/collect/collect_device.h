/*
 * collect_device: what block devices did, from their requests; and what programs asked of files on them.
 *
 * A request is in flight from its begin to its end. Wait is all of this time, service the part since it was last issued. A
 * device is busy while any request is in flight. A request whose end the kernel did not deliver does not count, because its end
 * is unknown.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/io_event.h>
#include <stdint.h>

struct collect;
struct trace;

struct collect_traffic {
	uint64_t requests, bytes;
	uint64_t waited; /* requests whose begin is known, of which `wait` is the sum */
	uint64_t wait;   /* ns */
};

/* A request in flight. Whether its time counts is only known at its end. */
struct collect_open {
	uint64_t begun;
	uint64_t newest; /* how long it was the newest in flight, ns */
};

struct collect_device {
	struct collect_traffic kind[REQUEST_KINDS]; /* that ended */
	uint64_t errors, cancelled;
	uint64_t unseen_ends;      /* requests whose end was not delivered */
	struct histogram latency;  /* from begin to end: of what await is the mean */
	struct histogram service;  /* from issue to end: of all that were issued */
	struct collect_open *open; /* by their begin */
	uint32_t in_flight, open_cap;
	uint64_t since; /* they are in flight */
	uint64_t busy;  /* ns */
	uint64_t queue; /* the times that requests were in flight, in sum, ns */
};

/* What requests of a control group moved. */
struct collect_group {
	uint64_t requests, read, written;
};

/* An event on a device's location. */
void collect_device_event(struct collect *collect, uint32_t device, const struct io_event *event);
void collect_device_release(struct collect *collect);
/* Returns what is known of the device's requests, or NULL: none came. */
const struct collect_device *collect_device(const struct collect *collect, uint32_t device);

/* What `iostat -x` shows of a device, over the whole run. */
struct collect_rates {
	double reads, writes;             /* a second; zeroes are writes */
	double read_bytes, written_bytes; /* a second */
	double wait;                      /* ns, on average: await */
	double read_wait, write_wait;
	double queue; /* in flight, on average: aqu-sz */
	double util;  /* 0 to 1 */
};
struct collect_rates collect_device_rates(const struct collect *collect, uint32_t device);

/* Returns the device that has the path, such as /dev/sda1, or ID_NONE. */
uint32_t collect_device_by_path(const struct trace *trace, str_id path);
/* Returns the whole device that holds the file, or that the file is; ID_NONE: none that is known. */
uint32_t collect_device_of_file(const struct trace *trace, file_id file);

/* What programs read from and wrote to files on the device, and what it read and wrote itself. */
struct collect_cache {
	uint64_t asked_read, asked_written;
	uint64_t disk_read, disk_written;
};
/* Returns an array for all devices, which the caller frees. */
struct collect_cache *collect_caches(const struct collect *collect);
/* Returns whether the requests of the device were recorded, so that no request means that there was none. */
bool collect_device_is_recorded(const struct collect *collect, uint32_t device);
/* Returns the share of what was asked for that never reached the disk, or -1: nothing was asked for. */
double collect_cache_share(uint64_t asked, uint64_t disk);
