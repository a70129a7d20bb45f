/*
 * leaks: what began and never ended.
 *
 * A leak is a span that was open when its process ended by itself, and one that is open at the end for longer than a limit. What was
 * open when a signal killed its process is none, nor is what a cancel took away. Memory grows with the leaks.
 */
#pragma once

#include <iotrace/span_engine.h>

struct leak {
	struct span_seen seen;
	uint64_t age; /* ns, at the end, or when its process ended */
};

/* Leaks of one span with one group, from one stack. */
struct leak_group {
	uint32_t span, stack;
	uint64_t group;
	uint64_t count, bytes, oldest; /* oldest: ns */
	struct span_seen first;
};

struct leaks {
	uint64_t older_than; /* ns: what is open at the end */
	struct leak *leak;
	struct leak_group *group; /* after leaks_sort() */
	uint32_t leaks, leaks_cap, groups, groups_cap;
	uint64_t left[SPANS_MAX], open[SPANS_MAX], young[SPANS_MAX]; /* young: open, but no leak */
};

void leaks_release(struct leaks *leaks);
/* For struct span_output and span_engine_look(); the context is the struct leaks. */
void leaks_seen(void *leaks, const struct span_seen *seen);
/* Gives each leak the stack that stands for its own: stacks that look the same are one. */
void leaks_merge_stacks(struct leaks *leaks, uint32_t (*same)(void *self, uint32_t stack),
			void *self);
/* Forgets all but the limit. */
void leaks_clear(struct leaks *leaks);
/* Puts them in order: by span, then by the number of leaks of a group, then by age. */
void leaks_sort(struct leaks *leaks);
