/*
 * block: block requests, from the steps that the kernel tells to operations on the locations of devices.
 *
 * A request is found again by its key (its address), or where the stream has none by its place: device and first
 * sector. A place is not unique: the requests there form a ring, in the order in which they were last issued, and the
 * first that fits is taken. Bio-based devices have no requests; their bios are operations.
 *
 * Included by state.h: the types are part of struct model. The functions are in request.c (steps), place.c (finding),
 * bio.c, cause.c, device.c, device_out.c (io_events) and device_sample.c.
 */
#pragma once

#include <iotrace/device.h>
#include <iotrace/index.h>
#include <iotrace/map.h>
#include <iotrace/metric.h>
#include <iotrace/request.h>

#define SECTOR_NONE UINT64_MAX

enum {
	SECTOR_BITS =
		47, /* of the key of a place: 64 PiB; a larger sector only makes rings longer */
	DEVICES_MAX = 1 << (64 - SECTOR_BITS),
};

enum block_state {
	BLOCK_ENDED = 0,  /* a bio that was cut, but for its other parts */
	BLOCK_QUEUED = 1, /* a bio: whether its device has requests is not known yet */
	BLOCK_INSERTED = 2,
	BLOCK_ISSUED = 4,
	BLOCK_REQUEUED = 8,
};

/* The task that caused it. */
struct cause {
	uint32_t pid; /* 0: not known */
	str_id name;
	file_id file;
	uint64_t cgroup;  /* the kernel's id of the group that it is charged to, 0: not known */
	bool is_recorded; /* one of the tasks that the recording is about */
	bool has_flush;   /* its bio asked for a flush, before or behind it */
};

/* A request, or a bio of a bio-based device, in flight. */
struct block_op {
	uint32_t device; /* ID_NONE: the element is free */
	enum block_state state;
	enum request_kind type;
	uint64_t key;
	uint64_t sector; /* where what is left of it begins */
	uint32_t sectors;
	uint64_t done; /* bytes that were completed without error */
	int32_t error;
	uint64_t begun, issued; /* issued: last, 0: not seen */
	uint64_t id;            /* matchingId */
	uint64_t begin;         /* is_growing: number of its BEGIN on the device's location */
	uint32_t next, previous;
	struct cause cause;
	str_id rwbs;
	bool is_bio;
	bool is_counted;   /* in the samples of its device: it came while the recording ran */
	bool is_recorded;  /* and not of a task that is not recorded */
	bool is_shown;     /* it has a BEGIN */
	bool is_growing;   /* whose size is not final */
	bool is_issue_out; /* and an ISSUED */
	bool is_doubtful;  /* samples were lost since: its end may have been among them */
	uint32_t whole;    /* the rest of a bio that was cut: its first part; ID_NONE */
	uint32_t parts;    /* other parts in flight */
};

/* Who queued a bio. */
struct origin {
	uint32_t device;
	uint64_t sector, time;
	struct cause cause;
	bool is_copy; /* from a device on top of this one */
};

enum device_kind { DEVICE_UNKNOWN, DEVICE_OF_REQUESTS, DEVICE_OF_BIOS };

/* Sums over the requests that ended since the last sample. */
struct device_sums {
	uint64_t bytes[2]; /* read, written */
	uint64_t ended, service, waited;
};

/* What the model works with of a device; beside its model_device. */
struct device_work {
	enum device_kind kind;
	bool has_bios;                      /* a bio was queued to it */
	bool has_first_stat, has_last_stat; /* phases 0 and 1 of DISKSTAT */
	uint32_t second_ends;               /* of writes at sector 0 that are to come */
	uint32_t *pending;                  /* DEVICE_UNKNOWN: its bios in flight */
	uint32_t pendings, pending_cap;
	uint32_t in_flight[2]; /* that read, that do not */
	struct device_sums sums;
	uint64_t sampled;     /* when; 0: not yet */
	uint64_t unseen_ends; /* of requests, told by nobody */
};

/* Samples of devices and of the machine. */
struct sampling {
	uint32_t device_series, memory_series, pressure_series; /* ID_NONE: none yet */
	thread_id machine; /* location of the machine's samples */
	bool has_clock;    /* facts MEMORY come: they say when to sample */
	uint64_t pressure[2], pressure_time;
};

struct block {
	struct block_op *op;
	struct pool ops;
	struct map op_by_key, op_by_place;
	struct origin *origin; /* a ring, the oldest goes first */
	uint32_t origins, origin_cap, origin_next;
	struct map origin_by_place;
	struct device_work *work; /* of each model_device */
	uint32_t work_cap;
	struct sampling sampling;
	struct cause *writer; /* of a file: who wrote to it last */
	uint32_t writers;
};
