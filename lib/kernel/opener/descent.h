/*
 * descent: whether a thread belongs to a process that descends from one of the roots.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct descent {
	int proc;       /* a descriptor of /proc; lent */
	uint32_t *root; /* processes */
	int *alive; /* of each root, a descriptor that is readable when it has ended; -1: none */
	/* There is room for all that come: a filter leaves the opener no call that would get memory. */
	uint32_t roots;
	uint32_t checked; /* the process that was found to descend last, while it lives: */
	int checked_fd;   /* readable when it has ended; -1: none */
};

/* The roots live now. Their numbers may be those of other processes later: a root that has ended is none. */
void descent_init(struct descent *descent, int proc, const uint32_t *root, uint32_t roots);
void descent_release(struct descent *descent);
/*
 * Adds a process whose users are all the one that we run for (user and group of /proc/PID say whether others may look into it).
 * Returns 0, -EPERM, or -ESRCH.
 */
int descent_add(struct descent *descent, uint32_t pid);
/* Returns 0, -EPERM: it does not descend from a root that lives, or -ESRCH: there is no such thread. */
int descent_check(struct descent *descent, uint32_t tid);
