/*
 * aio: asynchronous requests, from the steps that the kernel tells to operations on the locations of those who
 * submitted them.
 *
 * A request is found again by its key (its address, used again when it has ended), or where a step does not say that,
 * by its queue and what the program calls it. Its file may be known later than its begin: its io_events wait until it
 * is decided which handle they have.
 *
 * Included by state.h: the types are part of struct model. The functions are in aio_in.c (steps), aio_op.c (requests),
 * aio_queue.c and aio_out.c (io_events).
 */
#pragma once

#include <iotrace/aio.h>
#include <iotrace/io_event.h>
#include <iotrace/map.h>

enum {
	/* io_events that may wait for a system call of their location to end: three for each of the 65,536 requests
	   that fs.aio-max-nr allows by default to be submitted in one call, and some more */
	BESIDE_LIMIT = 1 << 18,
	FIXED_LIMIT = 1 << 20,
};

/* How a request is found. */
enum aio_chain { AIO_BY_KEY, AIO_BY_DATA, AIO_CHAINS };

/* A request in flight, or one whose io_events still wait. */
struct aio_op {
	struct aio request; /* of its SUBMIT; fd: as soon as it is known */
	uint32_t holders;   /* in flight, io_events that wait; 0: the element is free */
	uint32_t next[AIO_CHAINS];
	uint32_t process;
	thread_id location;
	uint64_t begin;  /* when it was submitted */
	uint32_t open;   /* of its file, held; ID_NONE */
	uint32_t closed; /* CLOSE: what it took out of the table, held; ID_NONE */
	uint64_t id;     /* matchingId */
	uint64_t done;   /* bytes of the completions so far */
	bool is_in_flight;
	bool is_decided;   /* which handle its io_events have: that of `open` */
	bool is_discarded; /* it had no file: its io_events never leave */
	bool is_issued;
	bool is_begin_out; /* its BEGIN has left */
	bool is_elsewhere; /* the offset that it has is not where it begins: it appends, or has no position */
};

/* A fixed file of a ring. */
struct fixed_slot {
	uint32_t open;    /* held; ID_NONE: not known */
	uint64_t changed; /* since when it is this one, or since when it is not known which it is */
};

/* A ring of io_uring, or an aio_context_t: which is an address in its process. */
struct aio_queue {
	bool is_used;
	enum aio_api api;
	uint64_t key;
	uint32_t process;
	int32_t fd;    /* AIO_FD_NONE: not known */
	uint32_t open; /* stands for the files that are not known, held; ID_NONE: none yet */
	struct fixed_slot *fixed;
	uint32_t fixed_count, fixed_cap;
	uint64_t fixed_changed; /* when one that is not in the array may have changed last */
	struct map by_address;  /* from the address of a fixed file to an open of it that lasts */
	/* Before Linux 5.18 a START comes before its SUBMIT, and does not say whose it is. */
	int32_t started_fd;
	uint32_t started_tid;
};

struct aio_state {
	struct aio_op *op;
	struct pool ops;
	struct map chain[AIO_CHAINS]; /* the first of those with the same hash */
	uint32_t in_flight;
	struct aio_queue *queue;
	uint32_t queues, queue_cap;
};
