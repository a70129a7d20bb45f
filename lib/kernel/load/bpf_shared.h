/*
 * bpf_shared: what the BPF programs and their loader share, except the records (bpf_record.h).
 *
 * Plain C with integers only, for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

#include "bpf_cipher.h"

enum {
	BPF_CALLS = 512,  /* limit of system call numbers: a power of two */
	BPF_CGROUPS = 16, /* maximum number of chosen control groups */
};

/* Processes of iotrace that are not recorded: the one that opens events again, and the one that looks at hangs. */
enum bpf_own_helper { BPF_OWN_OPENER, BPF_OWN_WATCH, BPF_OWN_HELPERS };

/* Kernel functions that old headers lack. */
enum {
	BPF_HELPER_RESERVE_DYNPTR = 198, /* bpf_ringbuf_..._dynptr */
	BPF_HELPER_SUBMIT_DYNPTR = 199,
	BPF_HELPER_DISCARD_DYNPTR = 200,
	BPF_HELPER_WRITE_DYNPTR = 202, /* bpf_dynptr_write */
};

/* What a program does with a call; 0: nothing. */
enum {
	BPF_CALL_CHOSEN = 1,
	BPF_CALL_OWN_BEGIN = 2, /* its begin and its end are records of their own: it makes tasks */
	BPF_CALL_PATHS = 4,
	/* Its path must be read at its begin, because an exec replaces the memory. */
	BPF_CALL_EXEC = 8,
	BPF_CALL_MAKES_FD = 16,
	BPF_CALL_MAKES_PAIR = 32,
	BPF_CALL_MOVES = 64, /* record the position of its descriptor's file */
	BPF_CALL_MOVES_DIRECTORY = 128,
	BPF_CALL_SUBMITS = 256, /* it submits iocbs */
	BPF_CALL_REAPS = 512,
	BPF_CALL_ENDS_QUEUE = 1024,
	/* Its begin is a record of its own if another task could get the descriptor before it ends. */
	BPF_CALL_CLOSES = 2048,
	BPF_CALL_IOCTL = 8192, /* record only the requests of ioctls.def */
	/* Record it for excluded tasks, too, because it changes descriptors. */
	BPF_CALL_ALWAYS = 4096,
	/* Its relative paths need the name of their directory; every failed call needs it. */
	BPF_CALL_BASES = 16384,
	BPF_CALL_MOVES_ROOT = 32768,
	BPF_CALL_MAPS = 65536, /* the call is not recorded, only how it maps a file */
	BPF_CALL_AIO = BPF_CALL_SUBMITS | BPF_CALL_REAPS | BPF_CALL_ENDS_QUEUE,
};

/* A row of syscalls.def, as far as the programs need it. */
struct bpf_call_role {
	uint32_t flags; /* BPF_CALL_... */
	int8_t fd;      /* argument with the descriptor of BPF_CALL_MOVES */
	int8_t path[2]; /* arguments with paths, or -1 */
	int8_t dir[2];  /* arguments with their start directories; -1: the current directory */
	int8_t pair;    /* argument that points to the new pair */
};

/* Chosen users, by their real ids. */
enum { BPF_USERS = 16 };

struct bpf_users {
	uint32_t count; /* 0: all users */
	uint32_t id[BPF_USERS];
};

/*
 * Chosen command names. Each bit of a state is a position in the globs that a name may have reached: a letter leads to the next
 * position; at a star the state also stays.
 */
struct bpf_comm {
	uint64_t first; /* state before the first letter; 0: every name is chosen */
	uint64_t stay;
	uint64_t last; /* positions at the end of a glob */
	uint64_t step[256];
};

static inline uint64_t bpf_comm_step(const volatile struct bpf_comm *comm, uint64_t state,
				     uint8_t letter)
{
	return (state & comm->step[letter]) << 1 | (state & comm->stay);
}

/*
 * A page fault that may read a mapped file. All 0: none.
 *
 * Reads of the thread in another system call, or outside of this one, do not belong to it.
 */
struct bpf_fault {
	uint64_t mapping;      /* address of the page cache: compared, never followed */
	uint64_t ino;          /* copied, because the address may outlive the inode */
	uint64_t generation;   /* another file that gets the number of the inode has another one */
	uint32_t dev;          /* in the kernel's format */
	int32_t number;        /* number of the system call; -1: none */
	uint64_t call;         /* begin of that call, if it is recorded */
	uint64_t index;        /* page that was accessed */
	uint64_t first, pages; /* pages that were read */
	uint64_t begin, last;
};

/* A task's call in flight. All 0: none. */
struct bpf_call {
	uint64_t begin;
	int32_t number;
	uint32_t cpu;
	uint64_t arg[6];
	uint32_t has_own_begin; /* its begin is a record of its own */
	uint16_t is_detached;   /* an exec removed perf's events from the task or an ancestor */
	uint16_t is_foreign;    /* it has made 32-bit calls */
	uint64_t base[2];       /* BPF_CALL_PATHS: dentries of the start directories */
	struct bpf_fault fault;
};

/* A read of calls_in_flight gives a sequence of these. */
struct bpf_in_flight {
	uint32_t pid, tid;
	struct bpf_call call;
};

/* Counters of the programs of a CPU, shared with the thread that empties its ring. One cache line. */
struct bpf_books {
	uint64_t calls;      /* records of calls that were written */
	uint64_t requests;   /* records of asynchronous requests */
	uint64_t dropped;    /* records that were dropped because the ring was full */
	uint64_t first_drop; /* time of the first drop since the reader set it to 0 */
	uint64_t bytes;      /* approximate number of bytes that were written */
	uint64_t wake_at;    /* the reader wants one wake-up when `bytes` reaches this value */
	uint64_t steps;      /* records of block requests, which interrupts count, too */
	uint64_t last_drop;
};
