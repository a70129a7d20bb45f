/*
 * mapping: a sorted array for each process. See mapping.h.
 */
#include "mapping.h"

#include "fdtable.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAPPINGS_MAX = 1 << 16
}; /* the kernel's own limit (vm.max_map_count); more are not followed */

static uint64_t end_of(uint64_t start, uint64_t size)
{
	return start + size < start ? UINT64_MAX : start + size;
}

/* Returns the index of the first mapping that ends after start. */
static uint32_t first_after(const struct process *p, uint64_t start)
{
	uint32_t low = 0, high = p->mappings;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->mapping[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct model *m, struct process *p, uint32_t at, struct mapping mapping)
{
	if (p->mappings >= MAPPINGS_MAX)
		return;
	MEM_GROW(p->mapping, p->mappings_cap, p->mappings + 1);
	memmove(&p->mapping[at + 1], &p->mapping[at], (p->mappings - at) * sizeof(*p->mapping));
	p->mapping[at] = mapping;
	p->mappings++;
	open_hold(m, mapping.open);
}

static void erase(struct model *m, struct process *p, uint32_t at)
{
	uint32_t open = p->mapping[at].open;

	p->mappings--;
	memmove(&p->mapping[at], &p->mapping[at + 1], (p->mappings - at) * sizeof(*p->mapping));
	open_drop(m, open);
}

/* Takes [start, end) out of the mapping at the index. Returns the index where what follows begins. */
static uint32_t carve(struct model *m, struct process *p, uint32_t at, uint64_t start, uint64_t end)
{
	struct mapping old = p->mapping[at];

	if (old.start < start) {
		p->mapping[at].end = start;
		at++;
		if (old.end > end)
			insert(m, p, at, (struct mapping){end, old.end, old.since, old.open});
		return at;
	}
	if (old.end > end)
		p->mapping[at].start = end;
	else
		erase(m, p, at);
	return at;
}

void mapping_unset(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint64_t time)
{
	struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);
	uint32_t at = first_after(p, start);

	while (at < p->mappings && p->mapping[at].start < end) {
		uint64_t was = p->mapping[at].end;

		at = p->mapping[at].since <= time ? carve(m, p, at, start, end) : at + 1;
		if (was > end)
			break;
	}
}

void mapping_set(struct model *m, uint32_t process, uint64_t start, uint64_t size, uint32_t open)
{
	struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);

	mapping_unset(m, process, start, size, UINT64_MAX);
	if (open != ID_NONE && start < end)
		insert(m, p, first_after(p, start), (struct mapping){start, end, m->now, open});
}

uint32_t mapping_find(const struct model *m, uint32_t process, uint64_t start, uint64_t size,
		      uint64_t time)
{
	const struct process *p = &m->process[process];
	uint64_t end = end_of(start, size);

	for (uint32_t at = first_after(p, start); at < p->mappings && p->mapping[at].start < end;
	     at++)
		if (p->mapping[at].since <= time)
			return p->mapping[at].open;
	return ID_NONE;
}

void mapping_copy(struct model *m, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < m->process[from].mappings; i++)
		insert(m, &m->process[to], i, m->process[from].mapping[i]);
}

void mapping_clear(struct model *m, uint32_t process)
{
	struct process *p = &m->process[process];

	for (uint32_t i = 0; i < p->mappings; i++)
		open_drop(m, p->mapping[i].open);
	free(p->mapping);
	p->mapping = NULL;
	p->mappings = p->mappings_cap = 0;
}
