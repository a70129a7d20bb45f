/* device: the block devices that the model knows. */
#pragma once

#include <iotrace/definition.h>

enum { DEVICE_STATS = 17 };

/* A block device or a partition (whose requests belong to its whole disk). */
struct trace_device {
	uint32_t dev; /* as makedev(3) makes it */
	str_id name;  /* "sda", "loop0", or "253:0" if nothing else is known */
	str_id model, scheduler;
	str_id backing;   /* file of a loop device; 0: none */
	uint64_t sectors; /* size, of 512 bytes; 0: not known */
	uint32_t disk;    /* a partition: index of its whole disk; ID_NONE */
	str_id under; /* stacked (dm, md, loop): names of the devices below it, separated by blanks */
	bool is_rotational;
	bool is_known;               /* a fact described it */
	process_id group;            /* ID_NONE: no request was seen */
	thread_id location, samples; /* ID_NONE: none yet */
	handle_id handle;
	/* /sys/block/DEV/stat when the recording began and when it ended (fact DISKSTAT). */
	bool has_stat;                  /* of both */
	uint64_t stat[2][DEVICE_STATS]; /* in the order of the fact */
	/* The sums over all events, in the same order and counted as the kernel does, without times. Excluded requests
	   count as well; with has_stat, only requests that ended between the two readings. */
	uint64_t seen[DEVICE_STATS];
};

/* A control group that a request was charged to. */
struct trace_cgroup {
	uint64_t id;
	str_id name; /* its path below the mount; "cgroup:[id]" if it was removed before the look-up */
	bool is_known; /* the name is the path */
};
