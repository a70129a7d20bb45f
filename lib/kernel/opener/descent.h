/* descent: whether a thread belongs to a process that descends from one of the roots. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct descent {
	int proc;       /* a descriptor of /proc; lent */
	uint32_t *root; /* processes */
	int *alive; /* of each root, a descriptor that is readable when it has ended; -1: none */
	/* There is room for all that come: a filter leaves the opener no call that would get memory. */
	uint32_t roots;
	uint32_t
		checked; /* the last process that was found to be a descendant, while it is alive: */
	int checked_fd;  /* readable when that process has ended; -1: none */
};

/* The roots must be alive. A root that has ended is no longer a root, because another process may get its number. */
void descent_init(struct descent *descent, int proc, const uint32_t *root, uint32_t roots);
/*
 * Adds a root. All its user ids must be those of iotrace's user (owner and group of /proc/PID show whether others may inspect it).
 * Returns 0, -EPERM, or -ESRCH.
 */
int descent_add(struct descent *descent, uint32_t pid);
/* Returns 0, -EPERM if the thread does not descend from a live root, or -ESRCH if there is no such thread. */
int descent_check(struct descent *descent, uint32_t tid);
