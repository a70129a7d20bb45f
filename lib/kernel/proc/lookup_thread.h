/*
 * lookup_thread: a thread for each CPU that looks up a descriptor in /proc as soon as a program opens it there.
 *
 * It runs on the CPU whose ring buffer it watches, with a real-time priority if that is allowed. So the wake-up happens where the
 * program runs, and the program continues when the answer is there. From another CPU, a sleeping thread needs about 30 us to run,
 * and many files are closed by then. Measured for short-lived files: 20 to 60 % of the names with one thread on any CPU, 93 to
 * 100 % this way, for the same CPU time of the program. The thread only reads the ring buffer; the rounds empty it.
 */
#pragma once

#include "facts.h"
#include "lookup.h"
#include "perf/perf_event.h"

#include <semaphore.h>

struct lookup_thread {
	struct perf_set *set; /* lent */
	uint32_t cpu;         /* its index there */
	int stop_fd,
		due_fd; /* lent: readable when the thread must end; written when a ring buffer fills */
	pthread_t thread;
	bool has_thread;
	sem_t is_ready;        /* the thread runs on its CPU */
	pthread_mutex_t mutex; /* protects all fields below */
	struct lookup lookup;
	struct facts facts;
	uint64_t seen;    /* position up to which the ring buffer was read */
	uint8_t *scratch; /* for a record that wraps around */
};

void lookup_thread_init(struct lookup_thread *thread, struct perf_set *set, uint32_t cpu,
			struct lookup_base *base, const struct facts *like);
/* Returns 0 or -errno. */
int lookup_thread_start(struct lookup_thread *thread, int stop_fd, int due_fd);
/* Waits until the thread is on its CPU and watches. */
void lookup_thread_wait(struct lookup_thread *thread);
/* Call it after stop_fd has become readable. */
void lookup_thread_join(struct lookup_thread *thread);
void lookup_thread_release(struct lookup_thread *thread);

/*
 * Reads new records and moves all answers to `out`. Returns the position in the ring buffer up to which everything was read.
 */
uint64_t lookup_thread_take(struct lookup_thread *thread, struct facts *out);
/* The space up to this position was returned to the kernel. */
void lookup_thread_skip(struct lookup_thread *thread, uint64_t position);
