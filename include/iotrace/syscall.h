/*
 * syscall: the table of system calls, syscalls.def.
 *
 * A row says which argument has which role; names, numbers and types come from the kernel. The model has a function
 * for each kind of call, not for each call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The effect of a call on descriptors, files or data. */
enum call_kind {
	CALL_OPEN, /* a path becomes a descriptor */
	CALL_CREATE_FD, /* a descriptor without a path: socket, eventfd2, epoll_create1, memfd_create, accept */
	CALL_CREATE_PAIR, /* two descriptors in memory: pipe, socketpair */
	CALL_CLOSE,
	CALL_CLOSE_RANGE,
	CALL_DUP,   /* dup, dup2, dup3 */
	CALL_FCNTL, /* by its command: dup, status flags, descriptor flags, locks */
	CALL_IOCTL, /* by its request: see ioctl.h */
	CALL_READ,  /* data to the program */
	CALL_WRITE, /* data from the program */
	CALL_COPY,  /* from fd to fd_out: sendfile, splice, tee, copy_file_range */
	CALL_SEEK,
	CALL_SYNC,     /* flushes a descriptor */
	CALL_SYNC_ALL, /* flushes everything, or a file system */
	CALL_LOCK,     /* flock */
	CALL_DELETE,   /* removes a name: unlink, rmdir */
	CALL_RENAME,   /* moves a name, and may replace another */
	CALL_CHDIR,    /* changes the current directory */
	CALL_CHROOT,   /* changes the root directory: chroot, pivot_root, setns */
	CALL_MAP,      /* mmap: a region with the file; nothing for memory without a file */
	CALL_UNMAP,    /* munmap of a mapped file */
	CALL_SYNC_MAP, /* msync of a mapped file */
	CALL_EXEC,
	CALL_CLONE, /* flags only; the new task has a record of its own */
	CALL_UNSHARE,
	CALL_META, /* a region, with the file of a descriptor argument */
};

enum call_group {             /* the groups of --syscalls */
		  GROUP_DATA, /* moves data: read, write and similar calls, sendfile, splice */
		  GROUP_SYNC, /* fsync and similar calls */
		  GROUP_OPEN, /* open, close, dup, chdir ...: decide about the meaning of descriptors and names; always recorded */
		  GROUP_META, /* stat, unlink, rename, mkdir, chmod ... */
		  GROUP_DIR,  /* getdents */
		  GROUP_LOCK, /* flock */
		  GROUP_NET,  /* socket, connect, send, recv */
		  GROUP_MAP,  /* mmap, munmap, msync */
		  GROUP_AIO,  /* io_setup, io_submit, io_uring_enter ... as regions */
		  GROUP_URING,     /* no calls: requests of io_uring from tracepoints */
		  GROUP_FAULT,     /* no calls: page faults that read mapped files, from BPF */
		  GROUP_WRITEBACK, /* no calls: writeback of mapped files, from BPF */
		  GROUP_TASK,      /* execve, clone, unshare: always recorded */
		  GROUP_COUNT
};

/* These groups are always recorded, because all others depend on them. */
#define CALL_GROUPS_ALWAYS (1U << GROUP_OPEN | 1U << GROUP_TASK)

enum call_result { RESULT_ZERO, RESULT_FD, RESULT_BYTES, RESULT_OFFSET, RESULT_OTHER };

/* Whether an exec closes the descriptors that a call creates. */
enum call_cloexec {
	CALL_CLOEXEC_NEVER,
	CALL_CLOEXEC_ALWAYS,
	CALL_CLOEXEC_IF,     /* if an argument has a bit set */
	CALL_CLOEXEC_UNSAID, /* the arguments do not show it */
};

/* Properties of a call beyond its kind: bits. */
enum call_trait {
	CALL_ASKS = 1, /* only checks whether a file exists, and its status */
	CALL_OF_LINK = 2,
	CALL_OF_ATTRIBUTE = 4, /* concerns extended attributes */
	CALL_GIVES_ADVICE = 8,
	CALL_MAKES_DIRECTORY = 16,
	CALL_REMOVES_DIRECTORY = 32,
	CALL_TRUNCATES = 64, /* opens a file for writing without a flags argument: creat() */
	CALL_MAKES_SOCKET = 128,
	CALL_SAYS_FAMILY = 256,       /* its first argument is the family of the socket */
	CALL_MAKES_SEEKABLE = 512,    /* creates a descriptor that has a position */
	CALL_TAKES_DESCRIPTOR = 1024, /* takes a descriptor of another process */
	CALL_MOVES_ROOTS = 2048,      /* also changes the root of other processes */
	CALL_PATH_IS_OPTIONAL = 4096, /* without a path it acts on its descriptor */
	CALL_OF_URING = 8192,
};

enum { CALL_NO_ARG = -1 };

struct call_row {
	const char *name; /* the kernel's name: "pread64", "newfstat" */
	enum call_kind kind;
	enum call_group group;
	int8_t fd; /* the descriptor, or with a path the directory where it starts */
	int8_t path;
	int8_t fd2; /* second descriptor: out, new, or directory of path2 */
	int8_t path2;
	int8_t size;   /* requested bytes (READ, WRITE, COPY) */
	int8_t offset; /* file offset */
	int8_t flags;  /* flags of an open, or of the call itself */
	enum call_result result;
	enum call_cloexec cloexec;
	int8_t cloexec_arg; /* CALL_CLOEXEC_IF: which argument, and which bit of it */
	uint32_t cloexec_bit;
	uint32_t traits; /* enum call_trait */
	int number;      /* on this machine; -1: this architecture lacks the call */
};

/* Rows are numbered from 0 (call_id) in the order of syscalls.def. */
typedef uint16_t call_id;
#define CALL_ID_NONE UINT16_MAX

uint32_t call_count(void);
const struct call_row *call_row(call_id id);
/* Returns the call with the kernel's number on this machine (x86-64: the 64-bit table), or CALL_ID_NONE. */
call_id call_by_number(long number);
call_id call_by_name(const char *name, size_t length);
/* Returns the name of its tracepoint on other architectures; NULL: the same everywhere. */
const char *call_function(const struct call_row *row);
/* Returns whether the call only moves data of files: it changes no descriptor, name or process. */
bool call_is_passing(call_id id);
/* Returns "data", "sync" ...; NULL after the last. */
const char *call_group_name(enum call_group group);
const char *call_group_help(enum call_group group);
bool call_group_is_default(enum call_group group);
