/*
 * order_sort: records of one stream, by time, where the stream itself is not in order.
 */
#ifndef ORDER_SORT_H
#define ORDER_SORT_H

#include <stdint.h>

struct order_entry {
	uint64_t time;
	const uint8_t *record;
};

/* Stable. `scratch` has room for `count` entries. Costs count * log2(rising runs). */
void order_sort(struct order_entry *entry, struct order_entry *scratch, uint32_t count);

#endif
