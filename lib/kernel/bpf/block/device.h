/* device: the numbers of the devices of requests and bios, in the kernel's format. */
#pragma once

#include "bpf/block/block.h"

static __always_inline uint32_t device_of_disk(struct gendisk *disk)
{
	return (uint32_t)FOLLOW(disk, major) << MINOR_BITS | (uint32_t)FOLLOW(disk, first_minor);
}

/* 0: a command to a drive without a disk */
static __always_inline uint32_t device_of_request(struct request *request)
{
	if (bpf_core_field_exists(request->q->disk))
		return device_of_disk(FOLLOW(FOLLOW(request, q), disk));
	return device_of_disk(((struct request___old *)request)->rq_disk);
}

static __always_inline struct gendisk *disk_of_bio(struct bio *bio)
{
	if (bpf_core_field_exists(bio->bi_bdev))
		return FOLLOW(FOLLOW(bio, bi_bdev), bd_disk);
	return ((struct bio___old *)bio)->bi_disk;
}

/* That of the disk, as in the kernel's events. The sector of a bio counts from its begin, too, even if the bio is of a partition. */
static __always_inline uint32_t device_of_bio(struct bio *bio)
{
	return device_of_disk(disk_of_bio(bio));
}
