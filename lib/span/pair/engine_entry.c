/*
 * engine_entry: see engine_entry.h.
 */
#include "engine_entry.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>

void entries_init(struct entries *entries, uint32_t spans)
{
	*entries = (struct entries){.free = MAP_NONE, .spans = spans};
}

void entries_release(struct entries *entries)
{
	for (uint32_t i = 0; i < entries->threads; i++) {
		free(entries->thread[i].stack);
		free(entries->thread[i].last);
	}
	free(entries->thread);
	map_release(&entries->by_tid);
}

static bool add_name(struct entry_names *names, const char *name)
{
	if (!name || strncmp(name, "arg", 3) != 0 || entry_find(names, name) < ENTRY_FIELDS)
		return true;
	if (names->count == ENTRY_FIELDS)
		return false;
	names->name[names->count++] = name;
	return true;
}

bool entry_names_of(struct entry_names *names, const struct span *span,
		    const struct span_point *point)
{
	bool fits = true;

	names->count = 0;
	if (!point->entry)
		return true;
	for (uint32_t i = 0; i < point->keys && fits; i++)
		fits = add_name(names, point->key[i]);
	for (uint32_t i = 0; i < point->tests && fits; i++)
		fits = add_name(names, point->test[i].field);
	return fits && add_name(names, span->group) && add_name(names, span->size) &&
	       add_name(names, span->result);
}

uint32_t entry_find(const struct entry_names *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return i;
	return ENTRY_FIELDS;
}

static uint32_t slot_new(struct entries *entries)
{
	const struct entry_thread made = {
		.stack = mem_array(entries->points + 1, sizeof(*made.stack)),
		.last = mem_array(entries->spans, sizeof(*made.last)),
	};
	uint32_t slot = entries->threads++;

	MEM_GROW(entries->thread, entries->cap, entries->threads);
	entries->thread[slot] = made;
	return slot;
}

static struct entry_thread *thread_made(struct entries *entries, uint32_t tid)
{
	uint32_t slot = map_get(&entries->by_tid, tid);

	if (slot != MAP_NONE)
		return &entries->thread[slot];
	slot = entries->free;
	if (slot == MAP_NONE)
		slot = slot_new(entries);
	else
		entries->free = entries->thread[slot].next;
	map_set(&entries->by_tid, tid, slot);
	return &entries->thread[slot];
}

uint64_t *entries_push(struct entries *entries, uint32_t point, uint32_t tid)
{
	struct entry_stack *stack = &thread_made(entries, tid)->stack[point];

	if (stack->depth >= ENTRY_CALLS)
		stack->lost = stack->depth + 1 - ENTRY_CALLS;
	return stack->value[stack->depth++ % ENTRY_CALLS];
}

const uint64_t *entries_pop(struct entries *entries, uint32_t point, uint32_t tid)
{
	uint32_t slot = map_get(&entries->by_tid, tid);
	struct entry_stack *stack;

	if (slot == MAP_NONE)
		return NULL;
	stack = &entries->thread[slot].stack[point];
	if (!stack->depth)
		return NULL;
	stack->depth--;
	if (stack->depth < stack->lost) {
		stack->lost = stack->depth;
		return NULL;
	}
	return stack->value[stack->depth % ENTRY_CALLS];
}

void entries_ended(struct entries *entries, uint32_t span, uint32_t tid,
		   const struct span_point *point, const uint64_t *key)
{
	struct last_end *last = &thread_made(entries, tid)->last[span];

	last->point = point;
	memcpy(last->key, key, sizeof(last->key));
}

bool entries_has_ended(const struct entries *entries, uint32_t span, uint32_t tid,
		       const struct span_point *point, const uint64_t *key)
{
	uint32_t slot = map_get(&entries->by_tid, tid);
	const struct last_end *last;

	if (slot == MAP_NONE)
		return false;
	last = &entries->thread[slot].last[span];
	return last->point && last->point != point && !memcmp(last->key, key, sizeof(last->key));
}

void entries_exit(struct entries *entries, uint32_t tid)
{
	uint32_t slot = map_remove(&entries->by_tid, tid);
	struct entry_thread *thread;

	if (slot == MAP_NONE)
		return;
	thread = &entries->thread[slot];
	memset(thread->stack, 0, (entries->points + 1) * sizeof(*thread->stack));
	memset(thread->last, 0, entries->spans * sizeof(*thread->last));
	thread->next = entries->free;
	entries->free = slot;
}
