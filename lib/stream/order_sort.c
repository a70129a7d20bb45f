/*
 * order_sort: a natural merge sort.
 *
 * A file without CPU numbers is a row of rising runs, one for each ring that was emptied, and a
 * stream with nested interrupts has runs that are long: merging neighbouring runs until one is left
 * does little more than it must.
 */
#include "order_sort.h"

#include <stdbool.h>
#include <string.h>

static uint32_t run_end(const struct order_entry *entry, uint32_t from, uint32_t count)
{
	uint32_t i = from + 1;

	while (i < count && entry[i - 1].time <= entry[i].time)
		i++;
	return i < count ? i : count;
}

/* Merges [from, middle) and [middle, end) to the same place of `to`. */
static void merge_runs(const struct order_entry *entry, struct order_entry *to, uint32_t from,
		       uint32_t middle, uint32_t end)
{
	uint32_t a = from, b = middle;

	for (uint32_t i = from; i < end; i++) {
		bool takes_a = b == end || (a < middle && entry[a].time <= entry[b].time);

		to[i] = takes_a ? entry[a++] : entry[b++];
	}
}

/* Merges neighbours all along; returns how many runs there were before. */
static uint32_t merge_pass(const struct order_entry *entry, struct order_entry *to, uint32_t count)
{
	uint32_t runs = 0;

	for (uint32_t from = 0; from < count;) {
		uint32_t middle = run_end(entry, from, count);
		uint32_t end = middle < count ? run_end(entry, middle, count) : count;

		merge_runs(entry, to, from, middle, end);
		runs += middle < count ? 2 : 1;
		from = end;
	}
	return runs;
}

void order_sort(struct order_entry *entry, struct order_entry *scratch, uint32_t count)
{
	struct order_entry *from = entry, *to = scratch;

	while (merge_pass(from, to, count) > 2) {
		struct order_entry *swap = from;

		from = to;
		to = swap;
	}
	if (to == scratch && count)
		memcpy(entry, scratch, count * sizeof(*entry));
}
