/*
 * collect_device: the requests of block devices, and what programs read and wrote in files on them.
 *
 * A request is in flight from its begin to its end. The wait is this whole time; the service time begins when the request was
 * last issued. A device is busy while any request is in flight. A request whose end the kernel did not deliver does not count,
 * because its end is unknown.
 */
#pragma once

#include <iotrace/histogram.h>
#include <iotrace/io_event.h>
#include <stdint.h>

struct collect;
struct trace;

struct collect_traffic {
	uint64_t requests, bytes;
	uint64_t waited; /* number of requests with a known begin; `wait` is their sum */
	uint64_t wait;   /* ns */
};

/* A request in flight. Whether its time counts is only known at its end. */
struct collect_open {
	uint64_t begun;
	uint64_t newest; /* time while it was the newest in flight, ns */
};

struct collect_device {
	struct collect_traffic kind[REQUEST_KINDS]; /* requests that have ended */
	uint64_t errors, cancelled;
	uint64_t unseen_ends;      /* requests whose end was not delivered */
	struct histogram latency;  /* from begin to end; its mean is await */
	struct histogram service;  /* from issue to end, for all requests that were issued */
	struct collect_open *open; /* sorted by begin */
	uint32_t in_flight, open_cap;
	uint64_t since; /* begin of the time with requests in flight */
	uint64_t busy;  /* ns */
	uint64_t queue; /* sum of the times of all requests in flight, ns */
};

/* What requests of a control group read and wrote. */
struct collect_group {
	uint64_t requests, read, written;
};

/* Processes an event on a device's location. */
void collect_device_event(struct collect *collect, uint32_t device, const struct io_event *event);
void collect_device_release(struct collect *collect);
/* Returns the collected data of the device, or NULL if it had no requests. */
const struct collect_device *collect_device(const struct collect *collect, uint32_t device);

/* The columns of `iostat -x` for a device, over the whole run. */
struct collect_rates {
	double reads, writes;             /* per second; writing zeroes counts as a write */
	double read_bytes, written_bytes; /* per second */
	double wait;                      /* mean, ns: await */
	double read_wait, write_wait;
	double queue; /* mean number in flight: aqu-sz */
	double util;  /* 0 to 1 */
};
struct collect_rates collect_device_rates(const struct collect *collect, uint32_t device);

/* Returns the device that has the path, such as /dev/sda1, or ID_NONE. */
uint32_t collect_device_by_path(const struct trace *trace, str_id path);
/* Returns the whole device that holds the file, or that the file is; ID_NONE: unknown. */
uint32_t collect_device_of_file(const struct trace *trace, file_id file);

/* What programs read and wrote in files on the device, and what the device itself read and wrote. */
struct collect_cache {
	uint64_t asked_read, asked_written;
	uint64_t disk_read, disk_written;
};
/* Returns an array for all devices, which the caller frees. */
struct collect_cache *collect_caches(const struct collect *collect);
/* Returns whether the device's requests were recorded; then no request in the stream means that there was none. */
bool collect_device_is_recorded(const struct collect *collect, uint32_t device);
/* Returns the share of the requested bytes that never reached the disk, or -1 if nothing was requested. */
double collect_cache_share(uint64_t asked, uint64_t disk);
