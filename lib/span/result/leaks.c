#include <iotrace/leaks.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

void leaks_clear(struct leaks *leaks)
{
	leaks->leaks = leaks->groups = 0;
	memset(leaks->left, 0, sizeof(leaks->left));
	memset(leaks->open, 0, sizeof(leaks->open));
	memset(leaks->young, 0, sizeof(leaks->young));
}

void leaks_release(struct leaks *leaks)
{
	free(leaks->leak);
	free(leaks->group);
	leaks->leak = NULL;
	leaks->group = NULL;
	leaks->leaks_cap = leaks->groups_cap = 0;
	leaks_clear(leaks);
}

void leaks_seen(void *context, const struct span_seen *seen)
{
	struct leaks *leaks = context;
	uint64_t age = seen->end - seen->begin;

	if (seen->fate != SPAN_LEFT && seen->fate != SPAN_OPEN)
		return;
	if (seen->fate == SPAN_OPEN && age < leaks->older_than) {
		leaks->young[seen->span]++;
		return;
	}
	if (seen->fate == SPAN_OPEN)
		leaks->open[seen->span]++;
	else
		leaks->left[seen->span]++;
	MEM_GROW(leaks->leak, leaks->leaks_cap, leaks->leaks + 1);
	leaks->leak[leaks->leaks++] = (struct leak){*seen, age};
}

void leaks_merge_stacks(struct leaks *leaks, uint32_t (*same)(void *self, uint32_t stack),
			void *self)
{
	for (uint32_t i = 0; i < leaks->leaks; i++)
		leaks->leak[i].seen.stack = same(self, leaks->leak[i].seen.stack);
}

static int by_age(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;

	if (x->seen.span != y->seen.span)
		return x->seen.span < y->seen.span ? -1 : 1;
	if (x->seen.group != y->seen.group)
		return x->seen.group < y->seen.group ? -1 : 1;
	if (x->seen.stack != y->seen.stack)
		return x->seen.stack < y->seen.stack ? -1 : 1;
	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return x->seen.begin < y->seen.begin ? -1 : x->seen.begin > y->seen.begin;
}

static int by_count(const void *a, const void *b)
{
	const struct leak_group *x = a, *y = b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->oldest != y->oldest)
		return x->oldest > y->oldest ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void add(struct leaks *leaks, const struct leak *leak)
{
	struct leak_group *last = leaks->groups ? &leaks->group[leaks->groups - 1] : NULL;

	if (!last || last->span != leak->seen.span || last->group != leak->seen.group ||
	    last->stack != leak->seen.stack) {
		MEM_GROW(leaks->group, leaks->groups_cap, leaks->groups + 1);
		last = &leaks->group[leaks->groups++];
		*last = (struct leak_group){.span = leak->seen.span,
					    .stack = leak->seen.stack,
					    .group = leak->seen.group,
					    .oldest = leak->age,
					    .first = leak->seen};
	}
	last->count++;
	last->bytes += leak->seen.bytes;
}

void leaks_sort(struct leaks *leaks)
{
	if (leaks->leaks)
		qsort(leaks->leak, leaks->leaks, sizeof(*leaks->leak), by_age);
	leaks->groups = 0;
	for (uint32_t i = 0; i < leaks->leaks; i++)
		add(leaks, &leaks->leak[i]);
	if (leaks->groups)
		qsort(leaks->group, leaks->groups, sizeof(*leaks->group), by_count);
}
