/*
 * opener: a helper process that opens perf events after the recorder has dropped its rights.
 *
 * An exec that changes the rights of a process removes perf's events from it, and a CPU that comes online has no events. Opening
 * new ones needs a right (CAP_PERFMON) that the recorder does not keep. So the recorder forks the opener before it drops this
 * right. The opener keeps only this right, its end of a socket and the control groups; a filter allows it only the system calls
 * that it needs. It ends when the recorder's end of the socket is closed.
 *
 * Terms:
 * - table: the events of the recording, and the first roots. It is complete before the fork, and no message changes it.
 * - root: the process of the command, of -p, or of a command that joins (join.h).
 * - request: an index into the table, with a thread or the number of a CPU; or a new root, which must be a process of the user.
 * - reply: 0 and a descriptor, or -errno.
 *
 * The opener opens an event of a task only for a thread whose process is a root or descends from one. It checks that in /proc
 * before and after. It refuses any other thread (-EPERM), also one whose ancestors have ended. It opens events of a CPU only if
 * the table has them.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

enum opener_kind {
	OPENER_OF_TASK,
	OPENER_OF_CPU, /* all tasks on a CPU */
	/* Tasks of a control group on a CPU; the thread is the index of the group in the table. */
	OPENER_OF_CGROUP,
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
	pid_t pid; /* 0: none */
	int socket;
};

void opener_init(struct opener *opener);
/* Forks the opener, with a copy of the table. The process must have one thread. Returns 0, or -errno with a message. */
int opener_start(struct opener *opener, const struct opener_table *table, struct error *err);
/* Returns a descriptor (close-on-exec) of the event for a thread on the CPU, or -errno. */
int opener_open(const struct opener *opener, uint32_t event, pid_t tid, uint32_t cpu);
/* Adds a root. Returns 0, -EPERM if the process does not belong to the user, or another -errno. */
int opener_add_root(const struct opener *opener, pid_t pid);
/* Ends the opener, and waits for its end. */
void opener_close(struct opener *opener);
