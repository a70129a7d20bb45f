/* request: what the kernel reports about a block request, in the terms of its block tracepoints. */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

/* Steps of block requests, in the words of the block tracepoints. BIO_*: of a bio, before or without a request. */
enum request_step {
	REQUEST_BIO_QUEUE, /* a bio is passed to a device; for bio-based devices this is the only begin */
	REQUEST_BIO_COMPLETE, /* the end of a bio; for bio-based devices this is the only end */
	REQUEST_BIO_REMAP, /* it moves from old_dev, old_sector to dev, sector: partitions, dm, md */
	/* The bio became part of a waiting request. old_sector: where that request began, if the bio is now before it. */
	REQUEST_BIO_MERGE,
	REQUEST_SPLIT, /* the bio was split; sectors: of its first part; old_sector: where the rest begins */
	REQUEST_INSERT,
	REQUEST_MERGE, /* two requests became one */
	REQUEST_ISSUE,
	REQUEST_REQUEUE,
	REQUEST_COMPLETE, /* the device has done this number of sectors: all, or a part */
	REQUEST_ERROR,    /* the error of the COMPLETE of the same request */
	REQUEST_STEPS
};

/* The letters of rwbs except the kind, as bits in records of BPF programs. */
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
	BLOCK_OWN, /* those that recorded tasks caused: the model filters them */
	BLOCK_ALL
};

/* How they are written: bits. */
enum block_output { BLOCK_EVENTS = 1, BLOCK_SAMPLES = 2 };

/* The kind of a request; the letters of rwbs have the rest. */
enum request_kind {
	REQUEST_READ,
	REQUEST_WRITE,
	REQUEST_FLUSH,
	REQUEST_DISCARD, /* also secure erase */
	REQUEST_ZEROES,
	REQUEST_OTHER, /* commands to the drive */
	REQUEST_KINDS
};

#ifndef __bpf__ /* the kernel's types contain a struct with the same name */

struct event_string {
	const char *at; /* NULL: not reported */
	uint32_t length;
};

struct request {
	enum request_step step;
	enum request_kind type;
	uint32_t dev; /* as makedev(3) makes it; 0: none (a command without a disk) */
	uint32_t old_dev;
	uint64_t sector, old_sector; /* of 512 bytes, of the whole disk; UINT64_MAX: none */
	uint32_t sectors;
	uint32_t bytes;            /* INSERT, ISSUE, REQUEUE */
	int32_t error;             /* COMPLETE, ERROR: errno > 0, or 0 */
	uint64_t key;              /* address of the request; 0: unknown */
	uint64_t inode, inode_dev; /* of the file whose pages are read or written, 0: not known */
	uint64_t cgroup; /* BIO_QUEUE: id of the control group that is charged; 0: unknown */
	struct event_string rwbs, name; /* name: of the task, if the event has it */
};

/* Returns the kind of the request from its letters, or otherwise from whether it has a sector. */
enum request_kind request_kind(const struct request *request);

#endif
