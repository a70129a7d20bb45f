/*
 * bpf_shared: what the BPF programs and their loader share, besides the records (bpf_record.h).
 *
 * Plain C for the BPF target as well: nothing but integers.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

#include "bpf_cipher.h"

enum {
	BPF_CALLS = 512,  /* numbers of system calls are below: a power of two */
	BPF_CGROUPS = 16, /* control groups that can be chosen */
};

/* Functions of the kernel's that old headers lack. */
enum {
	BPF_HELPER_RESERVE_DYNPTR = 198, /* bpf_ringbuf_..._dynptr */
	BPF_HELPER_SUBMIT_DYNPTR = 199,
	BPF_HELPER_DISCARD_DYNPTR = 200,
	BPF_HELPER_WRITE_DYNPTR = 202, /* bpf_dynptr_write */
};

/* What a program does with a call. 0: nothing. */
enum {
	BPF_CALL_CHOSEN = 1,
	BPF_CALL_OWN_BEGIN = 2, /* its begin and its end are records of their own: it makes tasks */
	BPF_CALL_PATHS = 4,
	BPF_CALL_EXEC = 8, /* its path is gone when it ends */
	BPF_CALL_MAKES_FD = 16,
	BPF_CALL_MAKES_PAIR = 32,
	BPF_CALL_MOVES = 64, /* the position of its descriptor's file */
	BPF_CALL_MOVES_DIRECTORY = 128,
	BPF_CALL_SUBMITS = 256, /* iocbs */
	BPF_CALL_REAPS = 512,
	BPF_CALL_ENDS_QUEUE = 1024,
	BPF_CALL_CLOSES =
		2048, /* APART where another task could get the descriptor before it ends */
	BPF_CALL_IOCTL = 8192,  /* only the requests of ioctls.def */
	BPF_CALL_ALWAYS = 4096, /* it changes descriptors: recorded for excluded tasks, too */
	BPF_CALL_BASES =
		16384, /* relative paths need their directory; if it fails, those of each call do */
	BPF_CALL_MOVES_ROOT = 32768,
	BPF_CALL_MAPS = 65536, /* not recorded; only how it maps a file */
	BPF_CALL_AIO = BPF_CALL_SUBMITS | BPF_CALL_REAPS | BPF_CALL_ENDS_QUEUE,
};

/* A row of syscalls.def, as far as the programs need it. */
struct bpf_call_role {
	uint32_t flags; /* BPF_CALL_* */
	int8_t fd;      /* which argument: BPF_CALL_MOVES */
	int8_t path[2]; /* which arguments, or -1 */
	int8_t dir
		[2]; /* which arguments name the directories that they start at; -1: the current one */
	int8_t pair; /* which argument points to the new pair */
};

/* Which users are chosen: their real numbers. */
enum { BPF_USERS = 16 };

struct bpf_users {
	uint32_t count; /* 0: all are */
	uint32_t id[BPF_USERS];
};

/*
 * Which command names are chosen. A state has a bit for each place in the globs that a name may have reached: a letter leads
 * to the next place, or leaves the state where a star stands.
 */
struct bpf_comm {
	uint64_t first; /* the state before the first letter; 0: every name is chosen */
	uint64_t stay;
	uint64_t last; /* places that are the end of a glob */
	uint64_t step[256];
};

static inline uint64_t bpf_comm_step(const volatile struct bpf_comm *comm, uint64_t state,
				     uint8_t letter)
{
	return (state & comm->step[letter]) << 1 | (state & comm->stay);
}

/*
 * A page fault of a mapped file that may be reading it. All 0: none.
 *
 * Reads of the thread in another system call, or outside of this one, do not belong to it.
 */
struct bpf_fault {
	uint64_t mapping; /* whose cache: an address in the kernel, compared and never followed */
	uint64_t ino;     /* kept, since the address may outlive the inode */
	uint32_t dev;     /* as the kernel keeps it */
	int32_t number;   /* of the system call; -1: in none */
	uint64_t call;    /* when that call began, if it is recorded */
	uint64_t index;   /* the page that is wanted */
	uint64_t first, pages; /* what was read */
	uint64_t begin, last;
};

/* A task's call in flight. All 0: none. */
struct bpf_call {
	uint64_t begin;
	int32_t number;
	uint32_t cpu;
	uint64_t arg[6];
	uint32_t has_own_begin; /* the begin is in the stream */
	uint16_t is_detached;   /* an exec took perf's events off the task, or off an ancestor */
	uint16_t is_foreign;    /* it has made calls of 32 bits */
	uint64_t base[2]; /* BPF_CALL_PATHS: the dentries of the directories that they start at */
	struct bpf_fault fault;
};

/* What reading of calls_in_flight gives, one after the other. */
struct bpf_in_flight {
	uint32_t pid, tid;
	struct bpf_call call;
};

/* What a CPU's programs count; shared with the thread that empties its ring. One cache line. */
struct bpf_books {
	uint64_t calls;      /* records of calls that are in the ring, or were */
	uint64_t requests;   /* of asynchronous requests */
	uint64_t dropped;    /* records that found no room */
	uint64_t first_drop; /* when: the first since the reader set it to 0 */
	uint64_t bytes;      /* written to the ring, nearly */
	uint64_t wake_at;    /* of `bytes`: the reader wants to be woken, once */
	uint64_t steps;      /* records of block requests: interrupts count there, too */
	uint64_t last_drop;
};
