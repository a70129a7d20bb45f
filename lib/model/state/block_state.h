/*
 * block: converts the kernel's steps of block requests into operations on the locations of devices.
 *
 * A request is found by its key (its address). If the stream has no keys, it is found by its position: device and first sector.
 * Several requests may have the same position; they form a ring in the order of their last issue, and the first one that fits is
 * used. Bio-based devices have no requests; their bios are operations.
 *
 * Included by state.h: the types are part of struct model. The functions are in model/block.
 */
#pragma once

#include <iotrace/device.h>
#include <iotrace/map.h>
#include <iotrace/metric.h>
#include <iotrace/request.h>

#define SECTOR_NONE UINT64_MAX

enum {
	/* Number of sector bits in the key of a position: 64 PiB; larger sectors only make the rings longer. */
	SECTOR_BITS = 47,
	DEVICES_MAX = 1 << (64 - SECTOR_BITS),
};

enum block_state {
	BLOCK_ENDED = 0,  /* the first part of a split bio, which waits for the other parts */
	BLOCK_QUEUED = 1, /* a bio of a device that may or may not have requests */
	BLOCK_INSERTED = 2,
	BLOCK_ISSUED = 4,
	BLOCK_REQUEUED = 8,
};

/* The task that caused it. */
struct cause {
	uint32_t pid, tid; /* 0: not known */
	str_id name;
	file_id file;
	uint64_t cgroup;  /* the kernel's id of the control group that is charged; 0: unknown */
	bool is_recorded; /* the task is recorded */
	bool has_flush;   /* its bio requests a flush before or after it */
};

/* A request, or a bio of a bio-based device, in flight. */
struct block_op {
	uint32_t device; /* ID_NONE: the element is free */
	enum block_state state;
	enum request_kind type;
	uint64_t key;
	uint64_t sector; /* begin of the remaining part */
	uint32_t sectors;
	uint64_t done; /* bytes that completed without error */
	int32_t error;
	uint64_t begun, issued; /* issued: time of the last issue; 0: unknown */
	uint64_t id;            /* matchingId */
	uint64_t begin;         /* is_growing: number of its BEGIN on the device's location */
	uint32_t next, previous;
	struct cause cause;
	str_id rwbs;
	bool is_bio;
	bool is_counted; /* it counts in the samples of its device, because it began during the recording */
	bool is_recorded;  /* its task is recorded */
	bool is_shown;     /* its BEGIN was emitted */
	bool is_growing;   /* the size of its BEGIN is not final */
	bool is_issue_out; /* its ISSUED was emitted */
	bool is_doubtful;  /* samples were lost since its begin, perhaps its end */
	uint32_t whole;    /* a later part of a split bio: its first part; otherwise ID_NONE */
	uint32_t parts;    /* other parts in flight */
};

/* The task that queued a bio. */
struct origin {
	uint32_t device;
	uint64_t sector, time;
	struct cause cause;
	bool is_copy; /* it was remapped from a device above this one */
};

enum device_kind { DEVICE_UNKNOWN, DEVICE_OF_REQUESTS, DEVICE_OF_BIOS };

/* Sums over the requests that ended since the last sample. */
struct device_sums {
	uint64_t bytes[2]; /* read, written */
	uint64_t ended, service, waited;
};

/* Working state of a device, in addition to its definition. */
struct device_work {
	enum device_kind kind;
	bool has_bios;                      /* a bio was queued to it */
	bool has_first_stat, has_last_stat; /* phases 0 and 1 of DISKSTAT */
	uint64_t last_stat_at;
	uint32_t second_ends; /* second ends of writes at sector 0 that are expected */
	uint32_t *pending;    /* DEVICE_UNKNOWN: its bios in flight */
	uint32_t pendings, pending_cap;
	uint32_t in_flight[2]; /* reads, others */
	struct device_sums sums;
	uint64_t sampled;     /* time of the last sample; 0: none */
	uint64_t unseen_ends; /* ends of requests that no event reported */
};

/* Samples of devices and of the machine. */
struct sampling {
	uint32_t device_series, memory_series, pressure_series; /* ID_NONE: none yet */
	thread_id machine; /* location of the machine's samples */
	bool has_clock;    /* there are facts MEMORY, which trigger the samples */
	uint64_t pressure[2], pressure_time;
};

struct block {
	struct block_op *op;
	struct pool ops;
	struct map op_by_key, op_by_sector;
	struct origin *origin; /* a ring; the oldest is removed first */
	uint32_t origins, origin_cap, origin_next;
	struct map origin_by_sector;
	struct device_work *work; /* for each device */
	uint32_t work_cap;
	struct sampling sampling;
	struct cause *writer; /* for each file: the last task that wrote to it */
	uint32_t writers;
};
