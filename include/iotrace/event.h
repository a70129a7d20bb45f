/* event: what the kernel reported. A value; its strings and bytes are lent until the next event. */
#pragma once

#include <iotrace/aio.h>
#include <iotrace/fact.h>
#include <iotrace/request.h>
#include <iotrace/syscall.h>
#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_NONE, /* skipped */
	EVENT_SYSCALL_ENTER,
	EVENT_SYSCALL_EXIT,
	EVENT_FORK,        /* a new task */
	EVENT_CLONE_FLAGS, /* flags of the fork that the same thread made just before */
	EVENT_COMM,        /* a task has a new name; is_exec: by execve */
	EVENT_PROGRAM,     /* a process executes another program; is_foreign: a 32-bit one */
	EVENT_LOCK,        /* the type of the record lock that the fcntl in flight requests */
	EVENT_EXIT,        /* a task ended */
	EVENT_LOST,        /* samples were lost from here on */
	EVENT_FACT,
	EVENT_CALL,       /* a system call from begin to end, matched in the kernel */
	EVENT_REQUEST,    /* a step in the life of a block request or bio */
	EVENT_TRACEPOINT, /* an event of -e: its fields */
	EVENT_AIO,        /* a step of an asynchronous request */
	EVENT_FAULT,      /* a page fault that read from a mapped file */
	EVENT_WRITEBACK,  /* the kernel wrote pages of a mapped file */
	EVENT_ARGUMENTS,  /* the arguments of a program that a process executes */
	EVENT_STATUS,     /* the wait status of a process that ends */
	EVENT_STORES,     /* a file is mapped shared and writable */
	EVENT_LOADS,      /* a file is mapped for reading */
	EVENT_CODE,       /* a file is mapped executable */
	EVENT_FOREIGN,    /* a 32-bit call begins; iotrace does not decode it */
};

enum { EVENT_ARGS = 6, EVENT_PATHS = 2, EVENT_FILES = 2, EVENT_COUNTERS = 16 };

#define EVENT_POSITION_UNKNOWN UINT64_MAX

/* The file of a descriptor that a call created, as the kernel knew it when the call returned. */
struct event_file {
	int32_t fd;                /* -1: none */
	uint32_t flags;            /* O_* of the open file description */
	uint32_t mode;             /* st_mode, 0: not known */
	uint64_t position;         /* EVENT_POSITION_UNKNOWN: has none */
	uint64_t dev, ino, mnt_id; /* dev as makedev(3) has it */
	struct event_string
		name;    /* for the process: a path from its root, "pipe:[7]" ...; NULL: unknown */
	bool is_deleted; /* `name` was its path, but the file has been deleted */
};

enum event_choice { CHOICE_UNKNOWN, CHOICE_IN, CHOICE_OUT }; /* whether its task is recorded */

struct event {
	enum event_kind kind;
	uint64_t time; /* ns, CLOCK_MONOTONIC (or the clock of the capture) */
	uint32_t pid;  /* the process (tgid) of the task that it happened in */
	uint32_t tid;
	uint32_t cpu;
	bool is_late;
	enum event_choice choice; /* of calls and REQUEST, if the kernel reports it */
	union {
		struct {
			call_id call;
			uint64_t arg[EVENT_ARGS];
			struct event_string
				path[EVENT_PATHS]; /* in the order path, path2 of the row */
			struct event_string base
				[EVENT_PATHS]; /* the directories where they start; NULL: unknown */
		} enter;
		struct {
			call_id call;
			int64_t result; /* -errno if failed */
			/* counters of -E in the order of decode_counter_name(), for each thread and CPU */
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
			bool is_foreign; /* it uses another table of call numbers */
		} program;
		struct {
			struct event_string words; /* with a NUL after each but perhaps the last */
			bool is_cut;
		} arguments;
		int32_t mapped;     /* STORES, LOADS, CODE: the descriptor */
		int32_t status;     /* as in wait(2) */
		uint32_t lock_type; /* F_RDLCK, F_WRLCK, F_UNLCK */
		struct {
			uint64_t count, until; /* until: the end of the loss; 0: unknown */
			/* From the counter of an event at the end. LOST records may have told the same. */
			bool is_of_counter;
		} lost;
		struct fact fact;
		struct {
			call_id call;
			bool is_in_flight; /* it has not ended: result, position and files are not valid */
			uint64_t begin; /* ns; the time of the event is that of the end */
			uint64_t arg[EVENT_ARGS];
			int64_t result;
			uint64_t
				position; /* of the row's fd after the call, or EVENT_POSITION_UNKNOWN */
			struct event_string path[EVENT_PATHS], base[EVENT_PATHS];
			struct event_file
				file[EVENT_FILES]; /* after chdir, the directory without fd */
		} pair;
		struct request request; /* pid, tid: of the task in whose context it happened */
		struct {
			uint32_t event; /* which event of -e: decode_event() */
			uint32_t numbers, strings;
			uint64_t number[EVENT_COUNTERS]; /* in the order of decode_event() */
			struct event_string string[EVENT_COUNTERS];
			uint32_t callers; /* of its call chain; as in struct sample */
			const uint8_t *caller;
		} tracepoint;
		struct {
			struct aio step; /* pid, tid: of the task in whose context it happened */
			struct event_file
				file; /* COMPLETE of an OPEN: the new file; of a fixed file: that file, fd -1; mode 0: not reported */
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
