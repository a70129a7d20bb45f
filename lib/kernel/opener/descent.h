/* descent: whether a thread belongs to a process that descends from one of the roots. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct descent {
	int proc;       /* descriptor of /proc; lent */
	uint32_t *root; /* process numbers */
	/* For each root, a descriptor that is readable when the root has ended; -1: none. */
	int *alive;
	/*
	 * Memory for all future roots is allocated at the start, because the filter of the opener does not allow calls that
	 * allocate.
	 */
	uint32_t roots;
	uint32_t checked; /* the last process that was found to be a descendant, while it runs: */
	int checked_fd;   /* readable when that process has ended; -1: none */
};

/* All roots must be running. A root that has ended no longer counts, because another process may get its number. */
void descent_init(struct descent *descent, int proc, const uint32_t *root, uint32_t roots);
/*
 * Adds a root. All its user ids must be those of iotrace's user (owner and group of /proc/PID show whether others may inspect it).
 * Returns 0, -EPERM, or -ESRCH.
 */
int descent_add(struct descent *descent, uint32_t pid);
/* Returns 0, -EPERM if the thread does not descend from a live root, or -ESRCH if there is no such thread. */
int descent_check(struct descent *descent, uint32_t tid);
