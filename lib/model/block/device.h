/* device: block devices: their properties from facts, and their locations in the archive. */
#pragma once

#include "state/state.h"

/* Returns the device with this number; defines a new one as "MAJ:MIN". ID_NONE for 0 and beyond DEVICES_MAX. */
uint32_t device_get(struct model *m, uint32_t dev);
/* Return the location of the device's operations, or of its samples. They are defined with their group at the first use. */
thread_id device_location(struct model *m, uint32_t device);
thread_id device_samples(struct model *m, uint32_t device);
/* Returns the location for samples of the whole machine. */
thread_id machine_samples(struct model *m);

/* Process the facts DEVICE and DISKSTAT. */
void device_fact(struct model *m, const struct event *event);
void device_stat(struct model *m, const struct event *event);
/* A bio of `upper` became one of `lower`: its partition, or a device stacked on it. */
void device_over(struct model *m, uint32_t upper, uint32_t lower);
/* Counts an end of this number of sectors like the kernel in /sys/block/DEV/stat; is_whole: the whole request has ended. */
void device_count(struct model *m, uint32_t device, enum request_kind type, uint32_t sectors,
		  bool is_whole);
void device_count_merge(struct model *m, uint32_t device, enum request_kind type);
/* Returns how many more requests ended according to the kernel's counters than in the stream; 0: unknown. */
uint64_t device_uncounted(const struct model *m, uint32_t device);
void device_release(struct model *m);
