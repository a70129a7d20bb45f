/*
 * top: the first few of many ids, in an order that the caller defines. It keeps no more than it was asked for, so a
 * list of the five largest of a million files costs five places.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a stands before b. It must be a strict order over all ids that are offered. */
typedef bool (*top_order)(const void *context, uint32_t a, uint32_t b);

struct top {
	top_order is_before;
	const void *context; /* lent */
	uint32_t size;       /* how many are kept */
	uint32_t *id;        /* the best `count`; in order after top_sort() */
	uint32_t count, cap;
	uint64_t seen; /* how many were offered */
};

void top_init(struct top *top, uint32_t size, top_order is_before, const void *context);
void top_release(struct top *top);
void top_offer(struct top *top, uint32_t id);
/* The best stands first from here on; nothing may be offered any more. */
void top_sort(struct top *top);
