/* slowest: the N slowest spans, exactly. It is a heap with the shortest of them on top. */
#pragma once

#include <iotrace/latency.h>

struct slowest {
	struct latency_slow *at;
	uint32_t count, most;
	bool is_sorted; /* sorted, the slowest first, and no longer a heap */
};

void slowest_init(struct slowest *slowest, uint32_t most);
void slowest_release(struct slowest *slowest);
void slowest_clear(struct slowest *slowest);
/* Returns the element of the span, without context; NULL if it is not among the slowest. Valid until the next call. */
struct latency_slow *slowest_add(struct slowest *slowest, const struct span_seen *seen);
void slowest_sort(struct slowest *slowest);
