/* top: a heap whose root is the last of the kept ids, so one comparison rejects most others. */
#include "top.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

void top_init(struct top *top, uint32_t size, top_order is_before, const void *context)
{
	memset(top, 0, sizeof(*top));
	top->size = size;
	top->is_before = is_before;
	top->context = context;
}

void top_release(struct top *top)
{
	free(top->id);
	top->id = NULL;
	top->count = top->cap = 0;
}

static bool is_before(const struct top *top, uint32_t a, uint32_t b)
{
	return top->is_before(top->context, top->id[a], top->id[b]);
}

static void swap(struct top *top, uint32_t a, uint32_t b)
{
	uint32_t id = top->id[a];

	top->id[a] = top->id[b];
	top->id[b] = id;
}

static void sift_up(struct top *top, uint32_t at)
{
	for (; at && is_before(top, (at - 1) / 2, at); at = (at - 1) / 2)
		swap(top, at, (at - 1) / 2);
}

/* Moves the root of a heap of `count` elements to its position. */
static void sift_down(struct top *top, uint32_t count)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && is_before(top, child, child + 1))
			child++;
		if (!is_before(top, at, child))
			return;
		swap(top, at, child);
		at = child;
	}
}

void top_offer(struct top *top, uint32_t id)
{
	top->seen++;
	if (top->count < top->size) {
		MEM_GROW(top->id, top->cap, top->count + 1);
		top->id[top->count] = id;
		sift_up(top, top->count++);
	} else if (top->size && top->is_before(top->context, id, top->id[0])) {
		top->id[0] = id;
		sift_down(top, top->count);
	}
}

void top_sort(struct top *top)
{
	for (uint32_t left = top->count; left > 1; left--) {
		swap(top, 0, left - 1);
		sift_down(top, left - 1);
	}
}
