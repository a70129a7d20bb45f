/* order_sort: sorts records by time. */
#pragma once

#include <stdint.h>

struct order_entry {
	uint64_t time;
	const uint8_t *record;
};

/*
 * The sort is stable. `scratch` has space for `count` entries. Returns the sorted array, which is one of the two; the other one
 * has undefined contents then.
 */
struct order_entry *order_sort(struct order_entry *entry, struct order_entry *scratch,
			       uint32_t count);
