/*
 * order_sort: sorts entries stably by time, in the cheaper of two ways.
 *
 * If the entries are a few increasing runs (two CPUs, a stream with nested interrupts), neighbouring runs are merged until one is
 * left. If there are many runs (hundreds of CPUs, a file without CPU numbers), a radix sort distributes the entries by one digit
 * of their time after the other, from the lowest. Neither has branches that the processor would mispredict.
 */
#include "order_sort.h"

#include <stdbool.h>
#include <string.h>

enum {
	/* The counts of a digit fit into the first-level cache, and the positions into the second. */
	DIGIT_BITS_MOST = 12,
	DIGIT_VALUES_MOST = 1 << DIGIT_BITS_MOST,
	/* Below this number of entries, counting digits costs more than merging. */
	RADIX_LEAST = 256,
};

/* How times are divided into digits: as few digits as possible, each with as few bits as possible. */
struct digits {
	uint64_t first; /* the time that becomes 0 */
	uint32_t count;
	uint32_t bits; /* bits of a digit */
};

struct survey {
	uint32_t runs;
	uint64_t first, last; /* times */
};

static struct survey survey(const struct order_entry *entry, uint32_t count)
{
	struct survey s = {.runs = 1, .first = entry[0].time, .last = entry[0].time};

	for (uint32_t i = 1; i < count; i++) {
		uint64_t time = entry[i].time;

		s.runs += time < entry[i - 1].time;
		s.first = time < s.first ? time : s.first;
		s.last = time > s.last ? time : s.last;
	}
	return s;
}

static uint32_t sorted_until(const struct order_entry *entry, uint32_t from, uint32_t count)
{
	uint32_t i = from + 1;

	while (i < count && entry[i - 1].time <= entry[i].time)
		i++;
	return i < count ? i : count;
}

/* Merges [from, middle) and [middle, end) into the same range of `to`. */
static void merge_runs(const struct order_entry *entry, struct order_entry *to, uint32_t from,
		       uint32_t middle, uint32_t end)
{
	uint32_t a = from, b = middle, i = from;

	while (a < middle && b < end) {
		bool takes_b = entry[b].time < entry[a].time;

		to[i++] = entry[takes_b ? b : a];
		b += takes_b;
		a += !takes_b;
	}
	memcpy(to + i, entry + a, (middle - a) * sizeof(*to));
	memcpy(to + i + (middle - a), entry + b, (end - b) * sizeof(*to));
}

/* Merges all pairs of neighbours; returns the number of runs before. */
static uint32_t merge_pass(const struct order_entry *entry, struct order_entry *to, uint32_t count)
{
	uint32_t runs = 0;

	for (uint32_t from = 0; from < count;) {
		uint32_t middle = sorted_until(entry, from, count);
		uint32_t end = middle < count ? sorted_until(entry, middle, count) : count;

		merge_runs(entry, to, from, middle, end);
		runs += middle < count ? 2 : 1;
		from = end;
	}
	return runs;
}

/* Returns where the result is. */
static struct order_entry *merge(struct order_entry *from, struct order_entry *to, uint32_t count)
{
	while (merge_pass(from, to, count) > 2) {
		struct order_entry *swap = from;

		from = to;
		to = swap;
	}
	return to;
}

static uint32_t bits_of(uint64_t number)
{
	return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

static struct digits digits_of(uint64_t first, uint64_t last)
{
	uint32_t bits = bits_of(last - first);
	uint32_t count = (bits + DIGIT_BITS_MOST - 1) / DIGIT_BITS_MOST;

	return (struct digits){first, count, count ? (bits + count - 1) / count : 0};
}

/* Distributes the entries by the digit that begins at bit `shift`. */
static void distribute(const struct order_entry *from, struct order_entry *to, uint32_t count,
		       const struct digits *digits, uint32_t shift)
{
	uint32_t place[DIGIT_VALUES_MOST];
	uint32_t values = 1U << digits->bits, next = 0;

	memset(place, 0, values * sizeof(*place));
	for (uint32_t i = 0; i < count; i++)
		place[(from[i].time - digits->first) >> shift & (values - 1)]++;
	for (uint32_t value = 0; value < values; value++) {
		uint32_t here = place[value];

		place[value] = next;
		next += here;
	}
	for (uint32_t i = 0; i < count; i++)
		to[place[(from[i].time - digits->first) >> shift & (values - 1)]++] = from[i];
}

/* Returns where the result is. */
static struct order_entry *radix_sort(struct order_entry *from, struct order_entry *to,
				      uint32_t count, const struct digits *digits)
{
	for (uint32_t digit = 0; digit < digits->count; digit++) {
		struct order_entry *swap = from;

		distribute(from, to, count, digits, digit * digits->bits);
		from = to;
		to = swap;
	}
	return from;
}

struct order_entry *order_sort(struct order_entry *entry, struct order_entry *scratch,
			       uint32_t count)
{
	struct digits digits;
	struct survey s;

	if (!count)
		return entry;
	s = survey(entry, count);
	if (s.runs == 1)
		return entry;
	digits = digits_of(s.first, s.last);
	if (count < RADIX_LEAST || bits_of(s.runs - 1) <= digits.count)
		return merge(entry, scratch, count);
	return radix_sort(entry, scratch, count, &digits);
}
