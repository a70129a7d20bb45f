/*
 * lookup_thread: a thread for each CPU that asks /proc about a descriptor as soon as it is opened there.
 *
 * It sits on the CPU whose ring it watches, with a real-time priority where we may: the wake-up then happens
 * where the program runs, and the program goes on when the answer is there. (From another CPU it takes some 30 us
 * until a sleeping thread runs; many files are closed by then. Measured: 20 to 60 % of the names of short-lived
 * files from one thread anywhere, 93 to 100 % this way, for the same CPU time of the program.) Walking the ring
 * takes nothing out of it: that is left to the rounds.
 */
#pragma once

#include "facts.h"
#include "lookup.h"
#include "perf/perf_event.h"

#include <semaphore.h>

struct lookup_thread {
	struct perf_set *set; /* lent */
	uint32_t cpu;         /* its index there */
	int stop_fd, due_fd; /* lent: readable when it shall end; to be written when a ring fills */
	pthread_t thread;
	bool has_thread;
	sem_t is_ready;        /* the thread is in its place */
	pthread_mutex_t mutex; /* all below */
	struct lookup lookup;
	struct facts facts;
	uint64_t seen;    /* how far the ring was walked */
	uint8_t *scratch; /* a record that wraps around */
};

void lookup_thread_init(struct lookup_thread *thread, struct perf_set *set, uint32_t cpu,
			struct lookup_base *base, const struct facts *like);
/* Returns 0 or -errno. */
int lookup_thread_start(struct lookup_thread *thread, int stop_fd, int due_fd);
/* Waits until the thread is on its CPU and watches. */
void lookup_thread_wait(struct lookup_thread *thread);
/* After stop_fd has become readable. */
void lookup_thread_join(struct lookup_thread *thread);
void lookup_thread_release(struct lookup_thread *thread);

/*
 * Looks at what has come; moves the answers that have been gathered to `out`. Returns the position in the ring up
 * to which everything was seen.
 */
uint64_t lookup_thread_take(struct lookup_thread *thread, struct facts *out);
/* The ring was given back up to here. */
void lookup_thread_skip(struct lookup_thread *thread, uint64_t position);
