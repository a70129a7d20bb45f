/*
 * leaks: spans that began and never ended.
 *
 * A leak is a span that was open when its process ended by itself, or that is open at the end for longer than a limit. Spans that
 * were open when a signal killed their process, and cancelled spans, are no leaks. Memory grows with the number of leaks.
 */
#pragma once

#include <iotrace/span_engine.h>

struct leak {
	struct span_seen seen;
	uint64_t age; /* in ns, at the end, or when its process ended */
};

/* Leaks of one span with one group, from one stack. */
struct leak_group {
	uint32_t span, stack;
	uint64_t group;
	uint64_t count, bytes, oldest; /* oldest: ns */
	struct span_seen first;
};

struct leaks {
	uint64_t older_than; /* limit in ns for spans that are open at the end */
	struct leak *leak;
	struct leak_group *group; /* set by leaks_sort() */
	uint32_t leaks, leaks_cap, groups, groups_cap;
	/* young: open, but not for long enough. */
	uint64_t left[SPANS_MAX], open[SPANS_MAX], young[SPANS_MAX];
};

void leaks_release(struct leaks *leaks);
/* For struct span_output and span_engine_look(); the context is the struct leaks. */
void leaks_seen(void *leaks, const struct span_seen *seen);
/* Replaces the stack of each leak by the first one that looks the same. */
void leaks_merge_stacks(struct leaks *leaks, uint32_t (*same)(void *self, uint32_t stack),
			void *self);
/* Clears everything except the limit. */
void leaks_clear(struct leaks *leaks);
/* Sorts: by span, then by the number of leaks of a group, then by age. */
void leaks_sort(struct leaks *leaks);
