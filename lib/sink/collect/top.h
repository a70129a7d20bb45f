/*
 * top: the first few of many ids, in an order that the caller defines. It stores only the wanted number, so the five largest of a
 * million files need memory for five.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a comes before b. It must be a strict order of all offered ids. */
typedef bool (*top_order)(const void *context, uint32_t a, uint32_t b);

struct top {
	top_order is_before;
	const void *context; /* lent */
	uint32_t size;       /* wanted number */
	uint32_t *id;        /* the best `count` ids; sorted after top_sort() */
	uint32_t count, cap;
	uint64_t seen; /* number of offered ids */
};

void top_init(struct top *top, uint32_t size, top_order is_before, const void *context);
void top_release(struct top *top);
void top_offer(struct top *top, uint32_t id);
/* Sorts the ids, the best first. No id may be offered afterwards. */
void top_sort(struct top *top);
