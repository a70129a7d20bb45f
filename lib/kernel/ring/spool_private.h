/* spool_private: the state of a spool, for spool.c and for spool_follow.c, which is for the thread that reads the file. */
#pragma once

#include "spool.h"

#include <iotrace/error.h>
#include <pthread.h>
#include <semaphore.h>

struct chunk {
	struct chunk *next;
	size_t used;
	uint8_t bytes[];
};

struct spool {
	pthread_mutex_t mutex;
	/* Any of the fields below, for the two threads that must keep up with the rings. */
	pthread_cond_t changed;
	/*
	 * For the follower. It is a semaphore, because signalling a condition may wait for an earlier waiter that has not run
	 * yet, and the follower may wait long for a CPU.
	 */
	sem_t news;
	bool is_awaited;
	pthread_t thread;
	bool has_thread;

	struct capture_writer *writer;
	struct trim *trim; /* NULL: nothing is removed from the file */
	bool is_kept;      /* from now on, nothing is removed */
	int reserve_fd;

	size_t chunk_size;
	uint32_t chunks, chunks_max;
	struct chunk *unused;
	struct chunk *first, **last; /* full chunks, in order */
	struct chunk *filling;
	bool is_busy, is_ready, is_ending, has_ended, has_failed;

	uint64_t written, dropped;
	uint64_t committed, round, round_written; /* the last two: ends of rounds */
	struct trim *memory;                      /* of a file in memory; NULL: it has no limit */
	uint64_t most, forgotten, read;           /* bytes in that file; what spool_forget() said */
	struct error error;
};
