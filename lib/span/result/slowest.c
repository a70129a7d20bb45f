/* slowest: see slowest.h. If two spans took equally long, the earlier one stays. */
#include "slowest.h"

#include <iotrace/mem.h>
#include <stdlib.h>

void slowest_init(struct slowest *slowest, uint32_t most)
{
	*slowest = (struct slowest){.most = most, .at = mem_array(most + 1, sizeof(*slowest->at))};
}

static void drop(struct latency_slow *slow)
{
	for (uint32_t i = 0; i < slow->contexts; i++)
		free(slow->context[i].text);
	free(slow->context);
	*slow = (struct latency_slow){0};
}

void slowest_clear(struct slowest *slowest)
{
	for (uint32_t i = 0; i < slowest->count; i++)
		drop(&slowest->at[i]);
	slowest->count = 0;
	slowest->is_sorted = false;
}

void slowest_release(struct slowest *slowest)
{
	slowest_clear(slowest);
	free(slowest->at);
}

/* Whether a comes before b in the list of the slowest spans. */
static bool is_slower(const struct span_seen *a, const struct span_seen *b)
{
	uint64_t x = a->end - a->begin, y = b->end - b->begin;

	return x != y ? x > y : a->begin < b->begin;
}

static void swap(struct latency_slow *a, struct latency_slow *b)
{
	struct latency_slow other = *a;

	*a = *b;
	*b = other;
}

static uint32_t sift_up(struct slowest *slowest, uint32_t at)
{
	while (at && is_slower(&slowest->at[(at - 1) / 2].seen, &slowest->at[at].seen)) {
		swap(&slowest->at[(at - 1) / 2], &slowest->at[at]);
		at = (at - 1) / 2;
	}
	return at;
}

static uint32_t sift_down(struct slowest *slowest, uint32_t at)
{
	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < slowest->count &&
			    is_slower(&slowest->at[least].seen, &slowest->at[child].seen))
				least = child;
		if (least == at)
			return at;
		swap(&slowest->at[at], &slowest->at[least]);
		at = least;
	}
}

static void make_heap(struct slowest *slowest)
{
	for (uint32_t i = slowest->count / 2; i--;)
		sift_down(slowest, i);
	slowest->is_sorted = false;
}

struct latency_slow *slowest_add(struct slowest *slowest, const struct span_seen *seen)
{
	if (!slowest->most)
		return NULL;
	if (slowest->is_sorted)
		make_heap(slowest);
	if (slowest->count < slowest->most) {
		slowest->at[slowest->count] = (struct latency_slow){.seen = *seen};
		return &slowest->at[sift_up(slowest, slowest->count++)];
	}
	if (!is_slower(seen, &slowest->at[0].seen))
		return NULL;
	drop(&slowest->at[0]);
	slowest->at[0].seen = *seen;
	return &slowest->at[sift_down(slowest, 0)];
}

static int compare(const void *a, const void *b)
{
	const struct latency_slow *x = a, *y = b;

	return is_slower(&x->seen, &y->seen) ? -1 : is_slower(&y->seen, &x->seen);
}

void slowest_sort(struct slowest *slowest)
{
	qsort(slowest->at, slowest->count, sizeof(*slowest->at), compare);
	slowest->is_sorted = true;
}
