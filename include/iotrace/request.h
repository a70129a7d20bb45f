/*
 * request: what the kernel says of a block request, in the words of its block tracepoints.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

/* Steps of block requests, in the words of the block tracepoints. BIO_*: of a bio, before or without a request. */
enum request_step {
	REQUEST_BIO_QUEUE, /* a bio is handed to a device: the only begin that bio-based devices have */
	REQUEST_BIO_COMPLETE, /* ... and their only end */
	REQUEST_BIO_REMAP, /* of old_dev, old_sector it becomes dev, sector: partitions, dm, md */
	/* The bio became part of a request that waits. old_sector: where that began, if it was put before it. */
	REQUEST_BIO_MERGE,
	REQUEST_SPLIT, /* the bio was cut, sectors: of its first part; old_sector: where the rest begins */
	REQUEST_INSERT,
	REQUEST_MERGE, /* two requests became one */
	REQUEST_ISSUE,
	REQUEST_REQUEUE,
	REQUEST_COMPLETE, /* of so many sectors; of all, or of a part */
	REQUEST_ERROR,    /* with the COMPLETE of the same: its error */
	REQUEST_STEPS
};

/* The letters of rwbs beside the kind, as records of BPF programs have them: bits. */
enum {
	BPF_REQUEST_PREFLUSH = 1,
	BPF_REQUEST_FUA = 2,
	BPF_REQUEST_AHEAD = 4,
	BPF_REQUEST_SYNC = 8,
	BPF_REQUEST_META = 16,
	BPF_REQUEST_SECURE = 32,
};

/* Which block requests are recorded. */
enum block_choice {
	BLOCK_NONE,
	BLOCK_OWN, /* those that recorded tasks caused: all come, the model chooses */
	BLOCK_ALL
};

/* What is made of them: bits. */
enum block_output { BLOCK_EVENTS = 1, BLOCK_SAMPLES = 2 };

/* What a request does; the letters of rwbs tell the rest. */
enum request_kind {
	REQUEST_READ,
	REQUEST_WRITE,
	REQUEST_FLUSH,
	REQUEST_DISCARD, /* secure erase, too */
	REQUEST_ZEROES,
	REQUEST_OTHER, /* commands to the drive */
	REQUEST_KINDS
};

#ifndef __bpf__ /* there, the kernel's own is called so */

struct event_string {
	const char *at; /* NULL: the kernel did not say */
	uint32_t length;
};

struct request {
	enum request_step step;
	enum request_kind type;
	uint32_t dev; /* as makedev(3) has it; 0: none (a command without a disk) */
	uint32_t old_dev;
	uint64_t sector, old_sector; /* of 512 bytes, of the whole disk; UINT64_MAX: none */
	uint32_t sectors;
	uint32_t bytes;            /* INSERT, ISSUE, REQUEUE */
	int32_t error;             /* COMPLETE, ERROR: errno > 0, or 0 */
	uint64_t key;              /* which request: its address; 0: not known */
	uint64_t inode, inode_dev; /* of the file whose pages are read or written, 0: not known */
	uint64_t cgroup; /* BIO_QUEUE: id of the group that it is charged to, 0: not known */
	struct event_string rwbs, name; /* name: of the task, where the event says it */
};

/* Returns what the request does: its letters say it, or, where they do not, whether it has a sector. */
enum request_kind request_kind(const struct request *request);

#endif
