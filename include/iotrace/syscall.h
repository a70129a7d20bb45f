/*
 * syscall: the table of system calls, syscalls.def.
 *
 * A row says which argument plays which role; names, numbers and types come from the kernel. The model has a
 * function for each kind, not for each call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a call does to descriptors, files or data. */
enum call_kind {
	CALL_OPEN, /* a path becomes a descriptor */
	CALL_CREATE_FD, /* a descriptor without a path: socket, eventfd2, epoll_create1, memfd_create, accept */
	CALL_CREATE_PAIR, /* two descriptors in memory: pipe, socketpair */
	CALL_CLOSE,
	CALL_CLOSE_RANGE,
	CALL_DUP,   /* dup, dup2, dup3 */
	CALL_FCNTL, /* by its command: dup, status flags, descriptor flags, locks */
	CALL_IOCTL, /* by its request: see ioctl.h */
	CALL_READ,  /* data towards the program */
	CALL_WRITE, /* data from the program */
	CALL_COPY,  /* from fd to fd_out: sendfile, splice, tee, copy_file_range */
	CALL_SEEK,
	CALL_SYNC,     /* of a descriptor */
	CALL_SYNC_ALL, /* of everything, or a file system */
	CALL_LOCK,     /* flock */
	CALL_DELETE,   /* a name goes: unlink, rmdir */
	CALL_RENAME,   /* a name goes or is replaced */
	CALL_CHDIR,    /* another current directory */
	CALL_CHROOT,   /* another root: chroot, pivot_root, setns */
	CALL_MAP,      /* mmap of a file: a region, with the file; of memory alone: nothing */
	CALL_UNMAP,    /* munmap of a mapped file */
	CALL_SYNC_MAP, /* msync of a mapped file */
	CALL_EXEC,
	CALL_CLONE, /* flags only; the new task comes with its own record */
	CALL_UNSHARE,
	CALL_META, /* a region, with the file if a descriptor names it */
};

enum call_group {             /* what --syscalls switches */
		  GROUP_DATA, /* moves data: read, write, their kin, sendfile, splice */
		  GROUP_SYNC, /* fsync and kin */
		  GROUP_OPEN, /* open, close, dup, chdir ...: what gives descriptors and names their meaning; always recorded */
		  GROUP_META,      /* stat, unlink, rename, mkdir, chmod ... */
		  GROUP_DIR,       /* getdents */
		  GROUP_LOCK,      /* flock */
		  GROUP_NET,       /* socket, connect, send, recv */
		  GROUP_MAP,       /* mmap, munmap, msync */
		  GROUP_AIO,       /* io_setup, io_submit, io_uring_enter ... as regions */
		  GROUP_URING,     /* no calls: the requests of io_uring, through tracepoints */
		  GROUP_FAULT,     /* no calls: page faults that read mapped files, through BPF */
		  GROUP_WRITEBACK, /* no calls: what the kernel writes of mapped files, through BPF */
		  GROUP_TASK,      /* execve, clone, unshare: always recorded */
		  GROUP_COUNT
};

/* The groups that cannot be left out: all others rest on them. */
#define CALL_GROUPS_ALWAYS (1U << GROUP_OPEN | 1U << GROUP_TASK)

enum call_result { RESULT_ZERO, RESULT_FD, RESULT_BYTES, RESULT_OFFSET, RESULT_OTHER };

/* Whether an exec closes the descriptors that a call makes. */
enum call_cloexec {
	CALL_CLOEXEC_NEVER,
	CALL_CLOEXEC_ALWAYS,
	CALL_CLOEXEC_IF,     /* an argument has a bit set */
	CALL_CLOEXEC_UNSAID, /* the arguments do not say it */
};

/* What a call does beyond its kind: bits. */
enum call_trait {
	CALL_ASKS = 1, /* only whether something is there, and what it is */
	CALL_OF_LINK = 2,
	CALL_OF_ATTRIBUTE = 4, /* of extended ones */
	CALL_GIVES_ADVICE = 8,
	CALL_MAKES_DIRECTORY = 16,
	CALL_REMOVES_DIRECTORY = 32,
	CALL_TRUNCATES = 64, /* opens a file for writing, with no flags that say it: creat() */
	CALL_MAKES_SOCKET = 128,
	CALL_SAYS_FAMILY = 256,       /* of the socket, in its first argument */
	CALL_MAKES_SEEKABLE = 512,    /* a descriptor that has a position */
	CALL_TAKES_DESCRIPTOR = 1024, /* of another process */
	CALL_MOVES_ROOTS = 2048,      /* of other processes, too */
	CALL_PATH_IS_OPTIONAL = 4096, /* without one it acts on its descriptor */
	CALL_OF_URING = 8192,
};

enum { CALL_NO_ARG = -1 };

struct call_row {
	const char *name; /* the kernel's: "pread64", "newfstat" */
	enum call_kind kind;
	enum call_group group;
	int8_t fd; /* descriptor acted on, or directory a path starts at (when path is set) */
	int8_t path;
	int8_t fd2; /* second descriptor: out, new, or directory of path2 */
	int8_t path2;
	int8_t size;   /* bytes asked for (READ, WRITE, COPY) */
	int8_t offset; /* file position given */
	int8_t flags;  /* open flags, or the call's own */
	enum call_result result;
	enum call_cloexec cloexec;
	int8_t cloexec_arg; /* CALL_CLOEXEC_IF: which argument, and which bit of it */
	uint32_t cloexec_bit;
	uint32_t traits; /* enum call_trait */
	int number;      /* on this machine, -1: not on this architecture */
};

/* Rows are numbered densely from 0 (call_id); the order is that of syscalls.def. */
typedef uint16_t call_id;
#define CALL_ID_NONE UINT16_MAX

uint32_t call_count(void);
const struct call_row *call_row(call_id id);
/* By the kernel's number on this machine (x86-64: the 64-bit table), or CALL_ID_NONE. */
call_id call_by_number(long number);
call_id call_by_name(const char *name, size_t length);
/* The name of its tracepoint on other architectures; NULL: the same everywhere. */
const char *call_function(const struct call_row *row);
/* "data", "sync" ...; NULL beyond the last. */
const char *call_group_name(enum call_group group);
const char *call_group_help(enum call_group group);
bool call_group_is_default(enum call_group group);
