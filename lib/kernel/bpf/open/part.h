/*
 * part: an event cancels all spans whose key begins with its part of a key. So all slots are looked at; and the hash, too, if it
 * contains spans with this part.
 */
#pragma once

#include "bpf/open/place.h"
#include "bpf/span_flight.h"

struct bpf_map;

struct away {
	uint64_t key[BPF_SPAN_KEYS];
	uint64_t now, count;
};

static __always_inline bool has_part(const uint64_t *key, const struct away *away)
{
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		if (i < spec.part && key[i] != away->key[i])
			return false;
	return true;
}

/* A span that another CPU changes at this moment begins after this event, or has ended before. */
static long take_slot_away(struct bpf_map *map, const uint32_t *index, struct bpf_span_slot *slot,
			   struct away *away)
{
	uint64_t state = state_of(slot), name = state & ~(uint64_t)BPF_SPAN_SLOT_STATES;

	if (state != (name | BPF_SPAN_SLOT_OPEN) || !has_part(slot->key, away) ||
	    !change_state(slot, state, name | BPF_SPAN_SLOT_BUSY))
		return 0;
	land(&slot->open, away->now);
	set_state(slot, 0);
	away->count++;
	return 0;
}

static long take_hashed_away(struct bpf_map *map, const uint64_t *key, struct bpf_span_open *open,
			     struct away *away)
{
	struct place place;

	if (!open->begin || !has_part(key, away))
		return 0;
	land(open, away->now);
	place = place_of(key);
	away->count += remove_open(&place, key);
	return 0;
}

static __always_inline void cancel_part(const uint64_t *key, struct bpf_span_books *books)
{
	struct away away = {.now = bpf_ktime_get_ns()};

	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		away.key[i] = key[i];
	if (spec.slots)
		bpf_for_each_map_elem(&slots, take_slot_away, &away, 0);
	if (*(volatile uint32_t *)hashed_with(key))
		bpf_for_each_map_elem(&open_spans, take_hashed_away, &away, 0);
	count(&books->cancelled, away.count);
}
