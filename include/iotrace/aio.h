/*
 * aio: what the kernel reports about an asynchronous request: one of io_uring, or an iocb of io_submit (libaio).
 *
 * The BPF programs write these numbers into captures, so new ones are only added at the end. Plain C, also for the
 * BPF target.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

/* Steps of requests, and of the queues that they belong to. */
enum aio_step {
	AIO_QUEUE, /* a queue is created; fd: its descriptor (io_uring) */
	AIO_FILES, /* fixed file `index` is now the file of `fd` (-1: no file); index -1: all are removed */
	AIO_SUBMIT, /* the kernel accepts it; fd: UNKNOWN until START if the kernel does not report it */
	AIO_START,    /* it gets its file: fd */
	AIO_COMPLETE, /* it ends with a result; with AIO_MORE it continues */
	AIO_END, /* the queue is gone; its requests in flight have ended with an unknown result */
	AIO_REFUSE, /* the kernel did not accept it after all */
	AIO_STEPS
};

/* What a request does to files. */
enum aio_action {
	AIO_MANAGE, /* none of the following: it waits, cancels, changes names ... */
	AIO_READ,
	AIO_WRITE,
	AIO_FLUSH,
	AIO_OPEN,  /* creates a descriptor, which is its result */
	AIO_CLOSE, /* closes `fd` */
	AIO_FIX,   /* replaces fixed files of the queue: `bytes` of them, from `index` on */
	AIO_PASS,  /* DIRECT: may replace a fixed file of any queue; which one is unknown */
	AIO_ACTIONS
};

enum aio_api { AIO_URING, AIO_LIBAIO, AIO_APIS };

enum {
	AIO_FD_NONE = -1,    /* it has no descriptor */
	AIO_FD_UNKNOWN = -2, /* not reported */
};

#define AIO_UNKNOWN 0xffffffffffffffffULL

/* Flags of a request. */
enum {
	AIO_FIXED = 1, /* its file is one of the queue's fixed files: index */
	AIO_BY_THREAD =
		2, /* the kernel's thread of the queue submitted it; that thread makes no system calls (SQPOLL) */
	AIO_MORE = 4,    /* COMPLETE: more completions will follow (multishot) */
	AIO_REPEATS = 8, /* its completions may lack the key; queue and user_data identify it */
	AIO_SILENT = 16, /* the kernel reports its end only if it fails, or never */
	AIO_DIRECT = 32, /* OPEN, CLOSE, PASS: affects a fixed file and not the descriptor table */
	AIO_POSITIONED = 64, /* it uses and moves the file position */
	AIO_PASSES = 128,    /* it may send descriptors */
	AIO_LATE =
		256, /* it gets its file after the submission: when other requests end, or in another thread */
	AIO_TELLS = 512 /* FIXED: its COMPLETE says which file it had */
};

struct aio {
	enum aio_step step;
	enum aio_action action;
	enum aio_api api;
	uint32_t opcode; /* the kernel's number of the action */
	uint32_t flags;  /* AIO_* */
	int32_t fd;      /* or AIO_FD_* */
	int32_t index;   /* of a fixed file; -1: none, not reported, or (DIRECT) the result */
	uint64_t queue;  /* address of the ring, or the aio_context_t */
	uint64_t key;    /* address of the request (of an iocb: in the program); 0: not reported */
	uint64_t user_data; /* the program's own value for it */
	uint64_t offset;    /* in the file, or AIO_UNKNOWN */
	uint64_t bytes;     /* requested, or AIO_UNKNOWN */
	int64_t result;     /* COMPLETE: result of the operation, or -errno */
	uint64_t
		file; /* COMPLETE: address of the fixed file that it used or opened; 0: not reported. The first one comes with the file. */
};

/* Returns the action of an opcode. flags: adds those that the opcode implies. */
enum aio_action aio_action(enum aio_api api, uint32_t opcode, uint32_t *flags);
