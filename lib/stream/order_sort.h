/* order_sort: records by time. */
#pragma once

#include <stdint.h>

struct order_entry {
	uint64_t time;
	const uint8_t *record;
};

/*
 * Stable. `scratch` has room for `count` entries. Returns where the sorted entries are, which is one of the two; the other
 * one then holds anything.
 */
struct order_entry *order_sort(struct order_entry *entry, struct order_entry *scratch,
			       uint32_t count);
