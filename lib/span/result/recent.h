/* recent: the last K things that each thread did. */
#pragma once

#include <iotrace/latency.h>
#include <iotrace/map.h>

enum { RECENT_TEXT = 120 };

struct recent_note {
	uint64_t time;
	char text[RECENT_TEXT];
};

/* The ring of a thread. */
struct recent_thread {
	struct recent_note *note;
	uint64_t count; /* number of elements that it ever had */
};

struct recent {
	uint32_t keep; /* size of each ring; 0: none */
	struct recent_thread *thread;
	uint32_t threads, threads_cap;
	struct map by_tid;
};

void recent_init(struct recent *recent, uint32_t keep);
void recent_release(struct recent *recent);
void recent_add(struct recent *recent, const struct span_note *note);
/* Copies the thread's last actions to a slow span. */
void recent_copy(const struct recent *recent, uint32_t tid, struct latency_slow *slow);
