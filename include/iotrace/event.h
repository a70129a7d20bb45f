/*
 * event: what the kernel said. A value; the strings and bytes in it are lent until the next event.
 */
#pragma once

#include <iotrace/aio.h>
#include <iotrace/fact.h>
#include <iotrace/request.h>
#include <iotrace/syscall.h>
#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_NONE, /* of no interest */
	EVENT_SYSCALL_ENTER,
	EVENT_SYSCALL_EXIT,
	EVENT_FORK,        /* a new task */
	EVENT_CLONE_FLAGS, /* flags of the fork that the same thread made just before */
	EVENT_COMM,        /* a task has a new name; is_exec: by execve */
	EVENT_PROGRAM,     /* a process runs another program now: whether it is a 32-bit one */
	EVENT_LOCK,        /* what kind of record lock the fcntl in flight asks for */
	EVENT_EXIT,        /* a task ended */
	EVENT_LOST,        /* samples were lost, from here on */
	EVENT_FACT,
	EVENT_CALL,       /* a system call from begin to end, paired in the kernel */
	EVENT_REQUEST,    /* a step in the life of a block request or bio */
	EVENT_TRACEPOINT, /* an event of -e: its fields */
	EVENT_AIO,        /* a step of an asynchronous request */
	EVENT_FAULT,      /* a page fault that read from a mapped file */
	EVENT_WRITEBACK,  /* the kernel wrote pages of a file that somebody has mapped */
	EVENT_ARGUMENTS,  /* a process runs a program now: its words */
	EVENT_STATUS,     /* a process ends now: how */
	EVENT_STORES,     /* a file is mapped so that what is stored there reaches it */
	EVENT_LOADS,      /* a file is mapped to be read */
	EVENT_CODE,       /* a file is mapped to be executed */
	EVENT_FOREIGN,    /* a 32-bit call begins; what it is, is not looked at */
};

enum { EVENT_ARGS = 6, EVENT_PATHS = 2, EVENT_FILES = 2, EVENT_COUNTERS = 16 };

#define EVENT_POSITION_UNKNOWN UINT64_MAX

/* A file that a call made a descriptor for, as the kernel had it when the call returned. */
struct event_file {
	int32_t fd;                /* -1: none */
	uint32_t flags;            /* O_* of the open file description */
	uint32_t mode;             /* st_mode, 0: not known */
	uint64_t position;         /* EVENT_POSITION_UNKNOWN: has none */
	uint64_t dev, ino, mnt_id; /* dev as makedev(3) has it */
	struct event_string
		name; /* as the process sees it: a path from its root, "pipe:[7]" ...; NULL: absent */
	bool is_deleted; /* it was called so, but has no name in its directory any more */
};

enum event_choice { CHOICE_UNKNOWN, CHOICE_IN, CHOICE_OUT }; /* whether its task is recorded */

struct event {
	enum event_kind kind;
	uint64_t time; /* ns, CLOCK_MONOTONIC (or the clock of the capture) */
	uint32_t pid;  /* the process (tgid) of the task that it happened in */
	uint32_t tid;
	uint32_t cpu;
	bool is_late;
	enum event_choice choice; /* of calls and REQUEST, where the kernel was asked */
	union {
		struct {
			call_id call;
			uint64_t arg[EVENT_ARGS];
			struct event_string
				path[EVENT_PATHS]; /* in the order of the row's path, path2 */
			struct event_string base
				[EVENT_PATHS]; /* the directories that they start at; NULL: not known */
		} enter;
		struct {
			call_id call;
			int64_t result; /* -errno if failed */
			/* counters of -E, in the order of decode_counter_name(); per thread and CPU */
			uint32_t counters;
			uint64_t counter[EVENT_COUNTERS];
		} exit;
		struct {
			uint32_t child_pid, child_tid;
		} fork; /* pid, tid: the parent */
		struct {
			uint64_t flags; /* CLONE_* */
		} clone_flags;
		struct {
			bool is_exec;
			struct event_string name;
		} comm;
		struct {
			bool is_foreign; /* its call numbers are those of another table */
		} program;
		struct {
			struct event_string words; /* with a NUL after each, but perhaps the last */
			bool is_cut;
		} arguments;
		int32_t mapped;     /* STORES, LOADS, CODE: the descriptor */
		int32_t status;     /* as wait(2) has it */
		uint32_t lock_type; /* F_RDLCK, F_WRLCK, F_UNLCK */
		struct {
			uint64_t count, until; /* until: the loss was over then; 0: not known */
		} lost;
		struct fact fact;
		struct {
			call_id call;
			bool is_in_flight; /* it has not ended (yet): result, position and files say nothing */
			uint64_t begin; /* ns; the event's own time is that of the end */
			uint64_t arg[EVENT_ARGS];
			int64_t result;
			uint64_t
				position; /* of the row's fd, after the call; EVENT_POSITION_UNKNOWN */
			struct event_string path[EVENT_PATHS], base[EVENT_PATHS];
			struct event_file
				file[EVENT_FILES]; /* after chdir the directory, without fd */
		} pair;
		struct request request; /* pid, tid: of the task in whose context it happened */
		struct {
			uint32_t event; /* which event of -e: decode_event() */
			uint32_t numbers, strings;
			uint64_t number[EVENT_COUNTERS]; /* in the order of decode_event() */
			struct event_string string[EVENT_COUNTERS];
		} tracepoint;
		struct {
			struct aio step; /* pid, tid: of the task in whose context it happened */
			struct event_file
				file; /* COMPLETE of an OPEN: what was made; fd -1: not said */
		} aio;
		struct {
			uint64_t begin; /* ns */
			uint64_t end;   /* 0: the event's own time */
			uint64_t dev, ino;
			uint64_t offset, bytes;
		} fault;
		struct {
			uint64_t begin, dev, ino, bytes;
			struct event_string name; /* of the task that wrote: pid, tid */
		} writeback;
	};
};
