/*
 * aio: asynchronous requests. Converts the kernel's steps to operations on the location of the submitting thread.
 *
 * A request is found by its key (its address, which is reused after its end), or, if a step has no key, by its queue and the
 * program's number for it. Its file may become known after its begin: then its io_events wait until it is decided which handle
 * they have.
 *
 * Included by state.h: the types are part of struct model. The functions are in aio_in.c (steps), aio_op.c (requests),
 * aio_queue.c and aio_out.c (io_events).
 */
#pragma once

#include <iotrace/aio.h>
#include <iotrace/io_event.h>
#include <iotrace/map.h>

enum {
	/*
	 * Maximum number of io_events that wait for a system call of their location to end: three for each of the 65,536 requests
	 * that fs.aio-max-nr allows by default in one call, and some more.
	 */
	BESIDE_LIMIT = 1 << 18,
	FIXED_LIMIT = 1 << 20,
};

/* The two ways to find a request. */
enum aio_chain { AIO_BY_KEY, AIO_BY_DATA, AIO_CHAINS };

/* A request in flight, or one whose io_events still wait. */
struct aio_op {
	struct aio request; /* as in its SUBMIT; fd is set as soon as it is known */
	/* One while it is in flight, and one for each waiting io_event; 0: the element is free. */
	uint32_t holders;
	uint32_t next[AIO_CHAINS];
	uint32_t process;
	thread_id location;
	uint64_t begin;  /* when it was submitted */
	uint32_t open;   /* open of its file, held; ID_NONE */
	uint32_t closed; /* CLOSE: the open that it removed from the table, held; ID_NONE */
	uint64_t id;     /* matchingId */
	uint64_t done;   /* bytes of the completions so far */
	bool is_in_flight;
	bool is_decided;   /* its io_events have the handle of `open` */
	bool is_discarded; /* it had no file: its io_events are discarded */
	bool is_issued;
	bool is_begin_out; /* its BEGIN has left the outbox */
	/* Its offset is not where it begins, because it appends or its file has no position. */
	bool is_elsewhere;
};

/* A fixed file of a ring. */
struct fixed_slot {
	uint32_t open;    /* held; ID_NONE: unknown */
	uint64_t changed; /* since when the slot has this file, or has been unknown */
};

/* A ring of io_uring, or an aio_context_t, which is an address in its process. */
struct aio_queue {
	bool is_used;
	enum aio_api api;
	uint64_t key;
	uint32_t process;
	int32_t fd;    /* AIO_FD_NONE: unknown */
	uint32_t open; /* stands for unknown files, held; ID_NONE: not used yet */
	struct fixed_slot *fixed;
	uint32_t fixed_count, fixed_cap;
	uint64_t fixed_changed; /* last time when a slot beyond the array may have changed */
	struct map by_address;  /* maps the address of a fixed file to a permanent open of it */
	/* Before Linux 5.18, a START comes before its SUBMIT and does not name the submitter. */
	int32_t started_fd;
	uint32_t started_tid;
};

struct aio_state {
	struct aio_op *op;
	struct pool ops;
	struct map chain[AIO_CHAINS]; /* maps a hash to the first request that has it */
	uint32_t in_flight;
	bool shows_uring; /* the stream has requests of io_uring */
	struct aio_queue *queue;
	uint32_t queues, queue_cap;
};
