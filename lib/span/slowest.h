/*
 * slowest: the N spans that took longest, exactly. A heap with the shortest of them on top.
 */
#pragma once

#include <iotrace/latency.h>

struct slowest {
	struct latency_slow *at;
	uint32_t count, most;
	bool is_sorted; /* the longest first: no heap any more */
};

void slowest_init(struct slowest *slowest, uint32_t most);
void slowest_release(struct slowest *slowest);
void slowest_clear(struct slowest *slowest);
/* Returns where the span is now, without context; NULL: it is none of the slowest. Valid until the next one. */
struct latency_slow *slowest_add(struct slowest *slowest, const struct span_seen *seen);
void slowest_sort(struct slowest *slowest);
