/*
 * summary_device: what block devices did, from the requests on their locations; and what programs asked of their files.
 *
 * A request is in flight from its begin to its end. Waiting is the whole of that, service the part since it was issued
 * (last). A device is busy while anything is in flight.
 */
#ifndef IOTRACE_SUMMARY_DEVICE_H
#define IOTRACE_SUMMARY_DEVICE_H

#include "histogram.h"

#include <iotrace/io_event.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct summary;

struct summary_traffic {
	uint64_t requests, bytes;
	uint64_t waited; /* requests whose begin is known, of which `wait` is the sum */
	uint64_t wait;   /* ns */
};

struct summary_device {
	struct summary_traffic kind[REQUEST_KINDS]; /* that ended */
	uint64_t errors, cancelled;
	struct histogram service; /* of all that were issued */
	uint32_t in_flight;
	uint64_t since; /* in_flight is so many */
	uint64_t busy;  /* ns */
	uint64_t queue; /* ns, each multiplied with in_flight */
};

/* What requests of a control group moved. */
struct summary_group {
	uint64_t requests, read, written;
};

/* An event on a device's location. */
void summary_device_event(struct summary *summary, uint32_t device, const struct io_event *event);
void summary_device_release(struct summary *summary);
/* Returns what is known of the device's requests, or NULL: none came. */
const struct summary_device *summary_device(const struct summary *summary, uint32_t device);

/* What `iostat -x` shows of a device, over the whole run. */
struct summary_rates {
	double reads, writes;             /* a second; zeroes are writes */
	double read_bytes, written_bytes; /* a second */
	double wait;                      /* ns, on average: await */
	double read_wait, write_wait;
	double queue; /* in flight, on average: aqu-sz */
	double util;  /* 0 to 1 */
};
struct summary_rates summary_device_rates(const struct summary *summary, uint32_t device);

/* Fills ids of at most `size` devices that had requests, the busiest first; returns how many there are in all. */
uint32_t summary_device_top(const struct summary *summary, uint32_t *top, uint32_t size,
			    uint32_t *count);

/* What programs read from and wrote to files on the device, and what it read and wrote itself. */
struct summary_cache {
	uint64_t asked_read, asked_written;
	uint64_t disk_read, disk_written;
};
/* Returns an array for all devices, which the caller frees. */
struct summary_cache *summary_device_cache(const struct summary *summary);
/* Returns whether the requests of the device were recorded: then nothing means that there was nothing. */
bool summary_device_is_recorded(const struct summary *summary, uint32_t device);
/* Returns the share of what was asked for that never reached the disk, or -1: nothing was asked for. */
double summary_cache_share(uint64_t asked, uint64_t disk);

#ifdef __cplusplus
}
#endif
#endif
