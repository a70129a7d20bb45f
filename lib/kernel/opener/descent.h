/*
 * descent: whether a thread belongs to a process that descends from one of the roots.
 */
#ifndef KERNEL_OPENER_DESCENT_H
#define KERNEL_OPENER_DESCENT_H

#include <stdbool.h>
#include <stdint.h>

struct descent {
	int proc;             /* a descriptor of /proc; lent */
	const uint32_t *root; /* processes; lent */
	int *alive; /* of each root, a descriptor that is readable when it has ended; -1: none */
	uint32_t roots;
	uint32_t checked; /* the process that was found to descend last, while it lives: */
	int checked_fd;   /* readable when it has ended; -1: none */
};

/* The roots live now. Their numbers may be those of other processes later: a root that has ended is none. */
void descent_init(struct descent *descent, int proc, const uint32_t *root, uint32_t roots);
void descent_release(struct descent *descent);
/* Returns 0, -EPERM: it does not descend from a root that lives, or -ESRCH: there is no such thread. */
int descent_check(struct descent *descent, uint32_t tid);

#endif
