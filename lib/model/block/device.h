/*
 * device: block devices: what facts say of them, and their locations in the archive.
 */
#pragma once

#include "state/state.h"

/* Returns the device with this number, listed (as "MAJ:MIN") if it is new; ID_NONE for 0 and beyond DEVICES_MAX. */
uint32_t device_get(struct model *m, uint32_t dev);
/* Returns the location of its operations, or of its samples. Listed with their group by their first use. */
thread_id device_location(struct model *m, uint32_t device);
thread_id device_samples(struct model *m, uint32_t device);
/* Returns the location of the machine's samples. */
thread_id machine_samples(struct model *m);

/* Facts DEVICE and DISKSTAT. */
void device_fact(struct model *m, const struct event *event);
void device_stat(struct model *m, const struct event *event);
/* A bio of `upper` became one of `lower`: its partition, or a device stacked on it. */
void device_over(struct model *m, uint32_t upper, uint32_t lower);
/* Counts an end of so many sectors as the kernel does for /sys/block/DEV/stat; is_whole: nothing of it is left. */
void device_count(struct model *m, uint32_t device, enum request_kind type, uint32_t sectors,
		  bool is_whole);
void device_count_merge(struct model *m, uint32_t device, enum request_kind type);
/* Returns how many more requests ended by the device's own count than were seen; 0 where it is not known. */
uint64_t device_uncounted(const struct model *m, uint32_t device);
void device_release(struct model *m);
