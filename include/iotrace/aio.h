/*
 * aio: what the kernel says of an asynchronous request: one of io_uring, or an iocb of io_submit (libaio).
 *
 * The BPF programs write these numbers into captures: they grow only at the end. Plain C for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

/* Steps of requests, and of the queues that they belong to. */
enum aio_step {
	AIO_QUEUE, /* a queue is made; fd: its descriptor (io_uring) */
	AIO_FILES, /* its fixed file `index` is what `fd` leads to (-1: nothing); index -1: it has none any more */
	AIO_SUBMIT, /* taken from the program; fd: UNKNOWN until its START where the kernel does not say it */
	AIO_START,    /* it gets its file: fd */
	AIO_COMPLETE, /* it has ended with a result, or AIO_MORE: goes on */
	AIO_END,      /* the queue is gone; what is in flight there has ended, nobody tells how */
	AIO_REFUSE,   /* it was not taken after all */
	AIO_STEPS
};

/* What a request does to files. */
enum aio_action {
	AIO_MANAGE, /* nothing of what follows: it waits, cancels, changes names ... */
	AIO_READ,
	AIO_WRITE,
	AIO_FLUSH,
	AIO_OPEN,  /* makes a descriptor: its result */
	AIO_CLOSE, /* of `fd` */
	AIO_FIX,   /* gives the queue other fixed files: `bytes` of them, from `index` on */
	AIO_PASS,  /* DIRECT: may give any queue another fixed file, nobody says which */
	AIO_ACTIONS
};

enum aio_api { AIO_URING, AIO_LIBAIO, AIO_APIS };

enum {
	AIO_FD_NONE = -1,    /* it has no descriptor */
	AIO_FD_UNKNOWN = -2, /* it is not said */
};

#define AIO_UNKNOWN 0xffffffffffffffffULL

/* Flags of a request. */
enum {
	AIO_FIXED = 1, /* its file is one of the queue's fixed files: index */
	AIO_BY_THREAD =
		2, /* submitted by the kernel's thread of the queue, which makes no system calls (SQPOLL) */
	AIO_MORE = 4,    /* COMPLETE: the request stays, more will come (multishot) */
	AIO_REPEATS = 8, /* its completions may not name it by its key: queue and user_data do */
	AIO_SILENT = 16, /* the kernel tells its end only if it fails, or not at all */
	AIO_DIRECT =
		32, /* OPEN, CLOSE, PASS: of a fixed file; the table of descriptors stays as it is */
	AIO_POSITIONED = 64, /* it uses the position of the file, and moves it */
	AIO_PASSES = 128,    /* what it sends may have descriptors with it */
	AIO_LATE =
		256 /* it gets its file after its submission: when others have ended, or in another thread */
};

struct aio {
	enum aio_step step;
	enum aio_action action;
	enum aio_api api;
	uint32_t opcode; /* the kernel's number of the action */
	uint32_t flags;  /* AIO_* */
	int32_t fd;      /* or AIO_FD_* */
	int32_t index;   /* of a fixed file; -1: none, not said, or (DIRECT) its result is */
	uint64_t queue;  /* which: the ring's address, or the aio_context_t */
	uint64_t key;    /* which request: its address (of the iocb: in the program); 0: not said */
	uint64_t user_data; /* what the program calls it */
	uint64_t offset;    /* in the file; AIO_UNKNOWN */
	uint64_t bytes;     /* asked for; AIO_UNKNOWN */
	int64_t result;     /* COMPLETE: of the operation, -errno if it failed */
};

/* Returns the action of an opcode. flags: adds those that the opcode implies. */
enum aio_action aio_action(enum aio_api api, uint32_t opcode, uint32_t *flags);
