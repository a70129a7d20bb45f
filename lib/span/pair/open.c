/*
 * open: see open.h. Slots with the same place in the table are a list.
 *
 * A process is looked up only when another one than before begins a span. So those without spans stay listed, and are
 * removed when there are many.
 */
#include "open.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 64, IDLE_MOST = 4096 };

/* Both halves of the product depend on all bits of both factors. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

_Static_assert(SPAN_KEYS == 4, "open_hash() takes so many");

uint64_t open_hash(const struct open_spans *open, uint32_t span, const uint64_t *key)
{
	uint64_t low = open->secret.low, high = open->secret.high;
	uint64_t first = fold(key[0] ^ low, key[1] ^ high);
	uint64_t second = fold(key[2] ^ ~high, key[3] ^ ~low);

	return fold(first ^ span ^ high, second ^ 0xa0761d6478bd642fU);
}

void open_init(struct open_spans *open)
{
	*open = (struct open_spans){.free = OPEN_NONE,
				    .free_process = OPEN_NONE,
				    .last = OPEN_NONE,
				    .secret = hash_key_of_process()};
}

void open_release(struct open_spans *open)
{
	free(open->at);
	free(open->table);
	free(open->process);
	map_release(&open->by_pid);
}

static uint32_t *place_of(const struct open_spans *open, uint64_t hash)
{
	return &open->table[hash & (open->places - 1)];
}

static void put(struct open_spans *open, uint32_t slot)
{
	uint32_t *place = place_of(open, open->at[slot].hash);

	open->at[slot].next = *place;
	*place = slot;
}

static void grow(struct open_spans *open)
{
	open->places = open->places ? 2 * open->places : FIRST_PLACES;
	free(open->table);
	open->table = mem_array(open->places, sizeof(*open->table));
	memset(open->table, 0xff, open->places * sizeof(*open->table));
	for (uint32_t i = 0; i < open->count; i++)
		if (open->at[i].is_used)
			put(open, i);
}

static uint32_t slot_new(struct open_spans *open)
{
	uint32_t slot = open->free;

	if (slot == OPEN_NONE) {
		slot = open->count++;
		MEM_GROW(open->at, open->cap, open->count);
		return slot;
	}
	open->free = open->at[slot].next;
	return slot;
}

static void drop_idle_processes(struct open_spans *open)
{
	for (uint32_t i = 0; i < open->processes; i++) {
		struct open_process *process = &open->process[i];

		if (!process->is_used || process->first != OPEN_NONE)
			continue;
		map_remove(&open->by_pid, process->pid);
		*process = (struct open_process){.next = open->free_process};
		open->free_process = i;
	}
	open->idle = 0;
	open->last = OPEN_NONE;
}

static uint32_t process_new(struct open_spans *open, uint32_t pid)
{
	uint32_t index;

	if (open->idle > IDLE_MOST && open->idle > open->processes / 2)
		drop_idle_processes(open);
	index = open->free_process;
	if (index == OPEN_NONE) {
		index = open->processes++;
		MEM_GROW(open->process, open->processes_cap, open->processes);
	} else {
		open->free_process = open->process[index].next;
	}
	open->process[index] =
		(struct open_process){.pid = pid, .first = OPEN_NONE, .is_used = true};
	map_set(&open->by_pid, pid, index);
	open->idle++;
	return index;
}

static uint32_t process_of(struct open_spans *open, uint32_t pid)
{
	uint32_t index = open->last;

	if (index != OPEN_NONE && open->process[index].pid == pid)
		return index;
	index = map_get(&open->by_pid, pid);
	open->last = index != MAP_NONE ? index : process_new(open, pid);
	return open->last;
}

static void enter_process(struct open_spans *open, uint32_t slot)
{
	struct open_span *span = &open->at[slot];
	struct open_process *process;

	span->process = process_of(open, span->pid);
	process = &open->process[span->process];
	span->before = OPEN_NONE;
	span->after = process->first;
	if (process->first == OPEN_NONE)
		open->idle--;
	else
		open->at[process->first].before = slot;
	process->first = slot;
}

static void leave_process(struct open_spans *open, uint32_t slot)
{
	const struct open_span *span = &open->at[slot];

	if (span->after != OPEN_NONE)
		open->at[span->after].before = span->before;
	if (span->before != OPEN_NONE) {
		open->at[span->before].after = span->after;
		return;
	}
	open->process[span->process].first = span->after;
	open->idle += span->after == OPEN_NONE;
}

uint32_t open_add(struct open_spans *open, const struct open_span *span, uint64_t hash)
{
	uint32_t slot = slot_new(open);

	open->at[slot] = *span;
	open->at[slot].hash = hash;
	open->at[slot].is_used = false;
	if (open->used == open->places)
		grow(open);
	open->at[slot].is_used = true;
	put(open, slot);
	enter_process(open, slot);
	open->used++;
	return slot;
}

static bool is_it(const struct open_span *open, uint32_t span, const uint64_t *key)
{
	uint64_t differs = open->span ^ span;

	for (uint32_t i = 0; i < SPAN_KEYS; i++)
		differs |= open->key[i] ^ key[i];
	return !differs;
}

uint32_t open_find_hash(const struct open_spans *open, uint32_t span, const uint64_t *key,
			uint64_t hash)
{
	uint32_t slot = open->used ? *place_of(open, hash) : OPEN_NONE;

	while (slot != OPEN_NONE && !is_it(&open->at[slot], span, key))
		slot = open->at[slot].next;
	return slot;
}

uint32_t open_find(const struct open_spans *open, uint32_t span, const uint64_t *key)
{
	return open->used ? open_find_hash(open, span, key, open_hash(open, span, key)) : OPEN_NONE;
}

static void take_out(struct open_spans *open, uint32_t slot)
{
	uint32_t *link = place_of(open, open->at[slot].hash);

	while (*link != slot)
		link = &open->at[*link].next;
	*link = open->at[slot].next;
}

void open_set_key(struct open_spans *open, uint32_t slot, const uint64_t *key)
{
	struct open_span *span = &open->at[slot];

	take_out(open, slot);
	for (uint32_t i = 0; i < SPAN_KEYS; i++)
		span->key[i] = key[i];
	span->hash = open_hash(open, span->span, key);
	put(open, slot);
}

void open_remove(struct open_spans *open, uint32_t slot)
{
	struct open_span *span = &open->at[slot];

	take_out(open, slot);
	leave_process(open, slot);
	span->is_used = false;
	span->next = open->free;
	open->free = slot;
	open->used--;
}

uint32_t open_of_process(const struct open_spans *open, uint32_t pid)
{
	uint32_t index = map_get(&open->by_pid, pid);

	return index == MAP_NONE ? OPEN_NONE : open->process[index].first;
}
