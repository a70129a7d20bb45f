/*
 * event: what the kernel said. A value; the strings and bytes in it are lent until the next event.
 */
#ifndef IOTRACE_EVENT_H
#define IOTRACE_EVENT_H

#include <iotrace/fact.h>
#include <iotrace/syscall.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
};

enum { EVENT_ARGS = 6, EVENT_PATHS = 2, EVENT_COUNTERS = 16 };

struct event_string {
	const char *at; /* NULL: the kernel did not say */
	uint32_t length;
};

struct event {
	enum event_kind kind;
	uint64_t time; /* ns, CLOCK_MONOTONIC (or the clock of the capture) */
	uint32_t pid;  /* the process (tgid) of the task that it happened in */
	uint32_t tid;
	uint32_t cpu;
	bool is_late;
	union {
		struct {
			call_id call;
			uint64_t arg[EVENT_ARGS];
			struct event_string
				path[EVENT_PATHS]; /* in the order of the row's path, path2 */
		} enter;
		struct {
			call_id call;
			int64_t result; /* -errno if failed */
			/* counters of -E, in the order of decode_counter_name(); per thread and CPU */
			uint32_t counters;
			uint64_t counter[EVENT_COUNTERS];
		} exit;
		struct {
			uint32_t child_pid;
			uint32_t child_tid;
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
			uint32_t type; /* F_RDLCK, F_WRLCK, F_UNLCK */
		} lock;
		struct {
			uint64_t count;
		} lost;
		struct fact fact;
	};
};

#ifdef __cplusplus
}
#endif
#endif
