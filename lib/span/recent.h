/*
 * recent: the last K things that each thread did.
 */
#pragma once

#include <iotrace/latency.h>
#include <iotrace/map.h>

enum { RECENT_TEXT = 120 };

struct recent_note {
	uint64_t time;
	char text[RECENT_TEXT];
};

/* Of a thread: a ring. */
struct recent_thread {
	struct recent_note *note;
	uint64_t count; /* that it had */
};

struct recent {
	uint32_t keep; /* 0: nothing */
	struct recent_thread *thread;
	uint32_t threads, threads_cap;
	struct map by_tid;
};

void recent_init(struct recent *recent, uint32_t keep);
void recent_release(struct recent *recent);
void recent_add(struct recent *recent, const struct span_note *note);
/* Gives a slow span what its thread did last. */
void recent_copy(const struct recent *recent, uint32_t tid, struct latency_slow *slow);
