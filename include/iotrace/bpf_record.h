/*
 * bpf_record: what the BPF programs write and decode reads: samples (IDENTIFIER, IP, TID, TIME, CPU, RAW) of the event
 * "iotrace:bpf". Their raw data is one of the records below, in the host's byte order: a fixed part that begins with a head,
 * and `parts` variable parts, each at a multiple of 8. The layout grows at the end of fixed parts and by new kinds.
 */
#pragma once
#ifndef __bpf__
#include <stdint.h>
#endif
#define BPF_RECORD_EVENT_NAME "iotrace:bpf"
enum bpf_record_kind {
	BPF_RECORD_NONE,
	BPF_RECORD_ENTER,     /* bpf_record_call: begin of a call that counts at once */
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
	BPF_RECORD_FORK,      /* bpf_record_task: the new task, where perf does not say FORK */
	BPF_RECORD_COMM,      /* bpf_record_task: a program begins, where perf does not say COMM */
	BPF_RECORD_END,       /* bpf_record_task: a thread ends, where perf does not say EXIT */
	BPF_RECORD_FOREIGN, /* bpf_record_detail: a 32-bit call begins, of any program: its number */
	BPF_RECORD_STORES, /* bpf_record_detail: mmap() of this descriptor begins: stores reach the file */
	BPF_RECORD_LOADS, /* the same: the file can be read there */
	BPF_RECORD_CODE,  /* the same: the file can be executed there */
	BPF_RECORD_KINDS
};

struct bpf_record_head {
	uint16_t kind, size; /* size: of the fixed part, head included */
	uint16_t parts;      /* that follow */
	uint16_t flags;      /* whether its task is recorded (--comm, --uid); 0: all are */
};
enum { BPF_RECORD_CHOSEN = 1, BPF_RECORD_NOT_CHOSEN = 2 };

/* A system call. The sample's pid, tid and time are those of its end (of its begin: ENTER). */
struct bpf_record_call {
	struct bpf_record_head head;
	int32_t number; /* of the kernel */
	uint32_t cpu;   /* where it began */
	uint64_t begin; /* ns, CLOCK_MONOTONIC; the time of an ENTER is a little later */
	int64_t result;
	uint64_t position; /* of the descriptor's file after the call; UINT64_MAX: none */
	uint64_t arg[6];
};

enum bpf_part_kind {
	BPF_PART_NONE,
	BPF_PART_PATH, /* bpf_part, then the bytes that the call's path argument `index` (0, 1) points to */
	BPF_PART_FILE, /* bpf_part_file, then the name of what a new descriptor leads to */
	BPF_PART_DIRECTORY, /* the same after a call that changed it: current directory (index 0), root (1); fd -1 */
	BPF_PART_ARGUMENTS, /* bpf_part, then words that are ended by a NUL each; TORN: there were more */
	BPF_PART_BASE, /* ... and for the directory that the relative path `index` started at; fd -1 */
	BPF_PART_KINDS
};

struct bpf_part {
	uint16_t kind;
	uint16_t size;  /* of the part with its bytes, without what pads it to a multiple of 8 */
	uint16_t index; /* which path, which descriptor of a pair */
	uint16_t flags; /* BPF_PART_* */
};

enum {
	BPF_ARGUMENTS = 8000,  /* bytes of them at most */
	BPF_PART_TORN = 1,     /* the string was longer, or could not be read in full */
	BPF_PART_DELETED = 2,  /* FILE: it has no name in its directory any more */
	BPF_PART_DETACHED = 4, /* FILE: no path from the root of the process leads to it */
	BPF_PART_SPECIAL = 8,  /* FILE: no path, but one name: a pipe, a socket, an anon_inode */
};

/*
 * Behind it come the names of the dentries up to the root of the process, leaf first, with a NUL each; of that root none.
 * Those of the root itself go up to that of its mount namespace, whose inode is the position.
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
	uint32_t letters; /* BPF_REQUEST_*: what rwbs shows beside the type */
	uint32_t major, minor, old_major, old_minor;
	uint64_t sector, old_sector;
	uint32_t sectors, bytes;
	int32_t error; /* errno > 0, or 0 */
	uint32_t reserved;
	uint64_t key;   /* the request's address */
	uint64_t inode; /* BIO_QUEUE: of the file whose pages the page cache moves, 0: none */
	uint32_t inode_major, inode_minor;
	uint8_t name[16]; /* comm of the task */
	uint64_t cgroup; /* BIO_QUEUE: the bio is charged to the group with this id; 0: not known */
};

struct bpf_record_detail {
	struct bpf_record_head head;
	uint64_t value; /* what the arguments of the call in flight do not say */
};

/* Of a task that perf's events do not follow: an exec took them off it, or off one that it descends from. */
struct bpf_record_task {
	struct bpf_record_head head;
	uint32_t pid, tid;
	uint8_t name[16]; /* comm */
};

/* A page fault that read from a mapped file. Its end may have been seen later than it was. */
struct bpf_record_fault {
	struct bpf_record_head head;
	uint64_t begin;
	uint32_t major, minor;
	uint64_t ino, offset, bytes, end; /* what was read: whole pages; old captures have no end */
};

/* The kernel wrote pages of a file that is mapped; the sample's task is the one that did, its time that of the end. */
struct bpf_record_writeback {
	struct bpf_record_head head;
	uint64_t begin;
	uint32_t major, minor;
	uint64_t ino, bytes; /* whole pages */
	uint8_t name[16];    /* comm of the task */
};

/* A step of an asynchronous request: struct aio of aio.h. A FILE part: what the request opened. */
struct bpf_record_aio {
	struct bpf_record_head head;
	uint16_t step, api;
	uint32_t opcode, flags;
	int32_t fd, index;
	uint32_t reserved;
	uint64_t queue, key, user_data, offset, bytes;
	int64_t result;
};
