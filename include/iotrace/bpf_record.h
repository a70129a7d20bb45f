/*
 * bpf_record: the records that BPF programs write and lib/decode reads: samples (IDENTIFIER, IP, TID, TIME, CPU, RAW) of the event
 * "iotrace:bpf". Their raw data is one of the records below, in the host's byte order: a fixed part that begins with a head,
 * and `parts` variable parts, each at a multiple of 8. Add fields only at the end of a fixed part, and kinds at the end.
 */
#pragma once
#ifndef __bpf__
#include <stdint.h>
#endif
#define BPF_RECORD_EVENT_NAME "iotrace:bpf"
enum bpf_record_kind {
	BPF_RECORD_NONE,
	BPF_RECORD_ENTER,     /* bpf_record_call: begin of a call that takes effect at once */
	BPF_RECORD_EXIT,      /* bpf_record_call: its end */
	BPF_RECORD_CALL,      /* bpf_record_call: a call, begin and end */
	BPF_RECORD_IN_FLIGHT, /* bpf_record_call: a call that had not ended when the recording did */
	BPF_RECORD_REQUEST,   /* bpf_record_request */
	BPF_RECORD_AIO,       /* bpf_record_aio */
	BPF_RECORD_FAULT,     /* bpf_record_fault */
	BPF_RECORD_CLONE,     /* bpf_record_detail: CLONE_* of a new task */
	BPF_RECORD_LOCK,      /* bpf_record_detail: F_RDLCK ... */
	BPF_RECORD_WRITEBACK, /* bpf_record_writeback */
	BPF_RECORD_PROGRAM,   /* bpf_record_head: a program begins; with an ARGUMENTS part */
	BPF_RECORD_STATUS,    /* bpf_record_detail: the wait status of a process that ends */
	BPF_RECORD_FORK,      /* bpf_record_task: a new task, where perf sends no FORK */
	BPF_RECORD_COMM,      /* bpf_record_task: a program begins, where perf sends no COMM */
	BPF_RECORD_END,       /* bpf_record_task: a thread ends, where perf sends no EXIT */
	BPF_RECORD_FOREIGN,   /* bpf_record_detail: number of a 32-bit call that begins */
	BPF_RECORD_STORES, /* bpf_record_detail: mmap() of this descriptor, whose stores reach the file */
	BPF_RECORD_LOADS, /* the same for a readable mapping */
	BPF_RECORD_CODE,  /* the same for an executable mapping */
	BPF_RECORD_KINDS
};

struct bpf_record_head {
	uint16_t kind, size; /* size: of the fixed part, head included */
	uint16_t parts;      /* that follow */
	uint16_t flags;      /* whether its task is recorded (--comm, --uid); 0: every task is */
};
enum { BPF_RECORD_CHOSEN = 1, BPF_RECORD_NOT_CHOSEN = 2 };

/* A system call. The sample's pid, tid and time are those of its end (of its begin: ENTER). */
struct bpf_record_call {
	struct bpf_record_head head;
	int32_t number; /* the kernel's number */
	uint32_t cpu;   /* where it began */
	uint64_t begin; /* ns, CLOCK_MONOTONIC; the time of an ENTER is a little later */
	int64_t result;
	uint64_t position; /* of the descriptor's file after the call; UINT64_MAX: none */
	uint64_t arg[6];
};

enum bpf_part_kind {
	BPF_PART_NONE,
	BPF_PART_PATH, /* bpf_part, then the bytes that the call's path argument `index` (0, 1) points to */
	BPF_PART_FILE, /* bpf_part_file, then the name of the file of a new descriptor */
	BPF_PART_DIRECTORY, /* the same after a call that changed it: current directory (index 0), root (1); fd -1 */
	BPF_PART_ARGUMENTS, /* bpf_part, then arguments with a NUL after each; TORN: there were more */
	BPF_PART_BASE, /* the same for the start directory of the relative path `index`; fd -1 */
	BPF_PART_KINDS
};

struct bpf_part {
	uint16_t kind;
	uint16_t size;  /* of the part with its bytes, without padding to a multiple of 8 */
	uint16_t index; /* index of the path, or of the descriptor in a pair */
	uint16_t flags; /* BPF_PART_* */
};

enum {
	BPF_ARGUMENTS = 8000,  /* at most this many bytes of arguments */
	BPF_PART_TORN = 1,     /* the string was longer, or could not be read in full */
	BPF_PART_DELETED = 2,  /* FILE: it was deleted */
	BPF_PART_DETACHED = 4, /* FILE: no path from the root of the process leads to it */
	BPF_PART_SPECIAL = 8,  /* FILE: no path, but one name: a pipe, a socket, an anon_inode */
};

/*
 * The names of the dentries follow, from the file up to the root of the process, with a NUL after each and without the root.
 * The names of a root directory go up to the root of its mount namespace, whose inode is the position.
 */
struct bpf_part_file {
	struct bpf_part part;
	int32_t fd;
	uint32_t flags; /* f_flags without O_LARGEFILE, and O_CLOEXEC of the descriptor */
	uint32_t mode;  /* i_mode */
	uint32_t magic; /* s_magic */
	uint32_t major, minor;
	uint64_t ino, mnt_id, position;
};

/* A step of a block request: enum request_step, enum request_kind of event.h. */
struct bpf_record_request {
	struct bpf_record_head head;
	uint16_t step, type;
	uint32_t letters; /* BPF_REQUEST_*: the letters of rwbs except the type */
	uint32_t major, minor, old_major, old_minor;
	uint64_t sector, old_sector;
	uint32_t sectors, bytes;
	int32_t error; /* errno > 0, or 0 */
	uint32_t reserved;
	uint64_t key;   /* the request's address */
	uint64_t inode; /* BIO_QUEUE: of the file whose pages the page cache transfers, 0: none */
	uint32_t inode_major, inode_minor;
	uint8_t name[16]; /* comm of the task */
	uint64_t cgroup;  /* BIO_QUEUE: id of the control group that is charged; 0: unknown */
};

struct bpf_record_detail {
	struct bpf_record_head head;
	uint64_t value; /* a detail that is not in the arguments of the call in flight */
};

/* A task that perf no longer follows, because an exec of it or of an ancestor removed perf's events. */
struct bpf_record_task {
	struct bpf_record_head head;
	uint32_t pid, tid;
	uint8_t name[16]; /* comm */
};

/* A page fault that read from a mapped file. Its record may come later than its end. */
struct bpf_record_fault {
	struct bpf_record_head head;
	uint64_t begin;
	uint32_t major, minor;
	uint64_t ino, offset, bytes, end; /* of the pages that were read; old captures lack `end` */
};

/* The kernel wrote pages of a mapped file. The sample has the task that wrote, and the time of the end. */
struct bpf_record_writeback {
	struct bpf_record_head head;
	uint64_t begin;
	uint32_t major, minor;
	uint64_t ino, bytes; /* whole pages */
	uint8_t name[16];    /* comm of the task */
};

/* A step of an asynchronous request: struct aio of aio.h. A FILE part is the file that it opened, or its fixed file (fd -1). */
struct bpf_record_aio {
	struct bpf_record_head head;
	uint16_t step, api;
	uint32_t opcode, flags;
	int32_t fd, index;
	uint32_t reserved;
	uint64_t queue, key, user_data, offset, bytes;
	int64_t result;
	uint64_t file; /* old captures have none */
};
