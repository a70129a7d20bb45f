/*
 * opener: a helper process that opens perf events after the recorder has given up its rights.
 *
 * An exec that changes the rights of a process takes perf's events off it, and a CPU that comes online has none. New ones take a
 * right (CAP_PERFMON) that the recorder does not keep. So the recorder forks the opener before it gives up this right. The opener
 * keeps this right alone, and of the recorder's files its end of a socket and the control groups; a filter leaves it the system
 * calls that it needs. It ends when the recorder's end of the socket is closed.
 *
 * The words between them:
 *   table    the events of the recording, and the first roots. It is complete before the fork: no message changes it.
 *   root     the process of the command, or one that -p names, or a command that joins (join.h).
 *   request  an index into the table, a thread, the number of a CPU; or a new root, which must be a process of the user.
 *   reply    0 and a descriptor, or -errno.
 *
 * An event of a task is opened for a thread whose process is a root or descends from one, as /proc says before and after. Any other
 * thread is refused (-EPERM), also one whose ancestors have ended. Events of a CPU are opened only if the table has them.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

enum opener_kind {
	OPENER_OF_TASK,
	OPENER_OF_CPU, /* whatever runs there */
	OPENER_OF_CGROUP, /* what of a control group runs there; in place of a thread stands an index of the table */
};

struct opener_event {
	enum opener_kind kind;
	struct perf_event_attr attr;
};

struct opener_table {
	const struct opener_event *event;
	uint32_t events;
	const uint32_t *root; /* processes */
	uint32_t roots;
	const int *cgroup; /* descriptors of control groups */
	uint32_t cgroups;
};

struct opener {
	pid_t pid; /* 0: there is none */
	int socket;
};

void opener_init(struct opener *opener);
/* Forks the opener, with a copy of the table. The process must have one thread. Returns 0, or -errno with a sentence. */
int opener_start(struct opener *opener, const struct opener_table *table, struct error *err);
/* Returns a descriptor (close-on-exec) of the event for a thread on the CPU, or -errno. */
int opener_open(const struct opener *opener, uint32_t event, pid_t tid, uint32_t cpu);
/* One more root. Returns 0, -EPERM: the process is not the user's, or another -errno. */
int opener_add_root(const struct opener *opener, pid_t pid);
/* Ends it, and waits until it has ended. */
void opener_close(struct opener *opener);
