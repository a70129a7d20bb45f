#include "recent.h"
#include "slowest.h"

#include <iotrace/latency.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct latency {
	struct latency_options options;
	struct latency_group **group;
	uint32_t groups, groups_cap;
	const struct latency_group **sorted;
	struct map of[SPANS_MAX]; /* for each span, by group */
	struct latency_group
		*last[SPANS_MAX]; /* the group of the previous span of each kind, or NULL */
	struct latency_group total
		[SPANS_MAX]; /* its heat map is kept up to date; latency_total() adds up the rest */
	struct latency_group *rest[SPANS_MAX]; /* one of `group`, or NULL */
	struct slowest slowest;
	struct recent recent;
	uint64_t below;
};

static void group_init(struct latency_group *group, uint32_t span, uint64_t value)
{
	*group = (struct latency_group){.span = span, .group = value};
	histogram_init(&group->histogram);
}

static void group_release(struct latency_group *group)
{
	histogram_release(&group->histogram);
	heat_release(&group->heat);
}

struct latency *latency_new(const struct latency_options *options)
{
	struct latency *latency = mem_zero(sizeof(*latency));

	latency->options = *options;
	slowest_init(&latency->slowest, options->slowest);
	recent_init(&latency->recent, options->slowest ? options->context : 0);
	for (uint32_t i = 0; i < SPANS_MAX; i++)
		group_init(&latency->total[i], i, 0);
	return latency;
}

void latency_clear(struct latency *latency)
{
	for (uint32_t i = 0; i < latency->groups; i++) {
		group_release(latency->group[i]);
		free(latency->group[i]);
	}
	for (uint32_t i = 0; i < SPANS_MAX; i++) {
		group_release(&latency->total[i]);
		group_init(&latency->total[i], i, 0);
		map_clear(&latency->of[i]);
		latency->last[i] = latency->rest[i] = NULL;
	}
	slowest_clear(&latency->slowest);
	latency->groups = 0;
	latency->below = 0;
}

void latency_free(struct latency *latency)
{
	if (!latency)
		return;
	latency_clear(latency);
	for (uint32_t i = 0; i < SPANS_MAX; i++)
		map_release(&latency->of[i]);
	slowest_release(&latency->slowest);
	recent_release(&latency->recent);
	free(latency->group);
	free(latency->sorted);
	free(latency);
}

static struct latency_group *group_new(struct latency *latency, uint32_t span, uint64_t value)
{
	uint32_t index = latency->groups++;

	MEM_GROW(latency->group, latency->groups_cap, latency->groups);
	latency->group[index] = mem_alloc(sizeof(**latency->group));
	group_init(latency->group[index], span, value);
	return latency->group[index];
}

static struct latency_group *find_group(struct latency *latency, uint32_t span, uint64_t value)
{
	uint32_t index = map_get(&latency->of[span], value);

	if (index != MAP_NONE)
		return latency->group[index];
	map_set(&latency->of[span], value, latency->groups);
	return group_new(latency, span, value);
}

static struct latency_group *group_of(struct latency *latency, uint32_t span, uint64_t value)
{
	struct latency_group *last = latency->last[span];

	if (!last || last->group != value)
		last = latency->last[span] = find_group(latency, span, value);
	return last;
}

static struct latency_group *rest_of(struct latency *latency, uint32_t span)
{
	if (!latency->rest[span]) {
		latency->rest[span] = group_new(latency, span, 0);
		latency->rest[span]->is_rest = true;
	}
	return latency->rest[span];
}

static void add(struct latency *latency, const struct span_seen *seen)
{
	struct latency_group *group = group_of(latency, seen->span, seen->group);
	uint64_t taken = seen->end - seen->begin;

	histogram_add(&group->histogram, taken);
	group->squares += (long double)taken * (long double)taken;
	group->bytes += seen->bytes;
	if (!latency->options.has_heat)
		return;
	heat_add(&group->heat, seen->end, taken);
	heat_add(&latency->total[seen->span].heat, seen->end, taken);
}

void latency_seen(void *context, const struct span_seen *seen)
{
	struct latency *latency = context;
	struct latency_slow *slow;

	if (seen->fate != SPAN_ENDED)
		return;
	if (latency->options.above && seen->end - seen->begin <= latency->options.above) {
		latency->below++;
		return;
	}
	add(latency, seen);
	slow = slowest_add(&latency->slowest, seen);
	if (slow)
		recent_copy(&latency->recent, seen->tid, slow);
}

void latency_add(struct latency *latency, const struct latency_part *part)
{
	struct latency_group *group = part->is_rest ? rest_of(latency, part->span)
						    : group_of(latency, part->span, part->group);

	histogram_add_part(&group->histogram, &part->histogram);
	group->squares += part->squares;
	group->bytes += part->bytes;
}

void latency_add_below(struct latency *latency, uint64_t count)
{
	latency->below += count;
}

void latency_note(void *context, const struct span_note *note)
{
	struct latency *latency = context;

	recent_add(&latency->recent, note);
}

static int by_sum(const void *a, const void *b)
{
	const struct latency_group *x = *(const struct latency_group *const *)a;
	const struct latency_group *y = *(const struct latency_group *const *)b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	if (x->histogram.sum != y->histogram.sum)
		return x->histogram.sum > y->histogram.sum ? -1 : 1;
	if (x->histogram.count != y->histogram.count)
		return x->histogram.count > y->histogram.count ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

uint32_t latency_groups(struct latency *latency, const struct latency_group *const **group)
{
	free(latency->sorted);
	latency->sorted = mem_array(latency->groups + 1, sizeof(*latency->sorted));
	for (uint32_t i = 0; i < latency->groups; i++)
		latency->sorted[i] = latency->group[i];
	qsort(latency->sorted, latency->groups, sizeof(*latency->sorted), by_sum);
	*group = latency->sorted;
	return latency->groups;
}

const struct latency_group *latency_total(struct latency *latency, uint32_t span)
{
	struct latency_group *total = &latency->total[span];

	histogram_release(&total->histogram);
	histogram_init(&total->histogram);
	total->squares = 0;
	total->bytes = 0;
	for (uint32_t i = 0; i < latency->groups; i++) {
		const struct latency_group *group = latency->group[i];

		if (group->span != span)
			continue;
		histogram_merge(&total->histogram, &group->histogram);
		total->squares += group->squares;
		total->bytes += group->bytes;
	}
	return total;
}

uint32_t latency_slowest(struct latency *latency, const struct latency_slow **slow)
{
	slowest_sort(&latency->slowest);
	*slow = latency->slowest.at;
	return latency->slowest.count;
}

uint64_t latency_below(const struct latency *latency)
{
	return latency->below;
}

double latency_average(const struct latency_group *group)
{
	const struct histogram *h = &group->histogram;

	return h->count ? (double)((long double)h->sum / (long double)h->count) : 0;
}

double latency_deviation(const struct latency_group *group)
{
	const struct histogram *h = &group->histogram;
	long double mean, variance;

	if (!h->count)
		return 0;
	mean = (long double)h->sum / (long double)h->count;
	variance = group->squares / (long double)h->count - mean * mean;
	return variance > 0 ? sqrt((double)variance) : 0;
}
