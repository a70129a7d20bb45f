/*
 * device: the block devices that the model knows.
 */
#pragma once

#include <iotrace/definition.h>

enum { DEVICE_STATS = 17 };

/* A block device, a partition too (requests are those of its whole disk). */
struct trace_device {
	uint32_t dev; /* as makedev(3) has it */
	str_id name;  /* "sda", "loop0", "253:0" if nothing is known of it */
	str_id model, scheduler;
	str_id backing;   /* file of a loop device; 0: none */
	uint64_t sectors; /* size, of 512 bytes; 0: not known */
	uint32_t disk;    /* a partition: index of its whole disk; ID_NONE */
	str_id under; /* stacked (dm, md, loop): names of what is under it, separated by blanks */
	bool is_rotational;
	bool is_known;               /* a fact described it */
	process_id group;            /* ID_NONE: no request was seen */
	thread_id location, samples; /* ID_NONE: none yet */
	handle_id handle;
	/* /sys/block/DEV/stat when recording began and ended, and what of it happened between (fact DISKSTAT). */
	bool has_stat;                  /* of both */
	uint64_t stat[2][DEVICE_STATS]; /* in the order of the fact */
	/* What the events say, in the same order and by the kernel's way of counting; no times. All requests count,
	   those that are left out as well; with has_stat, those that ended between the two. */
	uint64_t seen[DEVICE_STATS];
};

/* A control group that a request was charged to. */
struct trace_cgroup {
	uint64_t id;
	str_id name; /* its path below the mount; "cgroup:[id]" if it was gone before anybody looked */
	bool is_known; /* it is the path */
};
