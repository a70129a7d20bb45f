/*
 * priority: threads that must not wait for the programs that they record.
 *
 * A ring is emptied in time or it overflows. Among hundreds of busy threads an ordinary one gets a hundredth of a
 * CPU, just when there is most to do.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/*
 * The calling thread runs before all ordinary ones. Without the right to a real-time priority a short slice makes an
 * early deadline (since Linux 6.12; older kernels ignore it and favour a thread that slept).
 */
void priority_raise(void);

/* A lower nice value of the calling thread, and of all threads that it makes meanwhile. All 0: there is none. */
struct priority_nice {
	int old;
	bool is_lowered;
};

/* Does nothing without the right, or where the value is low already. */
void priority_lower_nice(struct priority_nice *nice);
void priority_restore_nice(struct priority_nice *nice);

/*
 * Initialises a mutex that threads of different priority share. A thread that holds it runs with the priority of the first who
 * waits for it, so that an ordinary thread among busy programs cannot hold up the one that empties the rings.
 */
void priority_init_mutex(pthread_mutex_t *mutex);
