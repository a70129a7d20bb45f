/*
 * priority: the priority of threads that must not wait for the recorded programs.
 *
 * A ring buffer overflows if it is not emptied in time. Among hundreds of busy threads, an ordinary thread gets only a hundredth of a
 * CPU, just when there is most work.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/*
 * Makes the calling thread run before all ordinary threads. Without the right to a real-time priority, it requests a short time slice,
 * which gives an early deadline (since Linux 6.12; older kernels ignore it and favour a thread that slept).
 */
void priority_raise(void);

/* A lowered nice value of the calling thread and of the threads that it creates meanwhile. All 0: not lowered. */
struct priority_nice {
	int old;
	bool is_lowered;
};

/* Does nothing without the right, or if the value is already low. */
void priority_lower_nice(struct priority_nice *nice);
void priority_restore_nice(struct priority_nice *nice);

/*
 * Initialises a mutex for threads of different priority. It inherits priorities, so an ordinary thread that holds it cannot delay the
 * thread that empties the ring buffers.
 */
void priority_init_mutex(pthread_mutex_t *mutex);
