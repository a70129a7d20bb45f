/*
 * part: takes away all spans whose key begins with a part: when an event cancels them, or when their process has ended. So all slots are
 * looked at; and the hash, too, if it may contain such spans. A walk through the hash may miss some while another CPU removes their
 * neighbour, so the hash is walked again while it may contain such spans.
 */
#pragma once

#include "bpf/open/place.h"
#include "bpf/span/flight.h"

struct bpf_map;

enum { WALKS_MOST = 4 };

struct away {
	uint64_t key[BPF_SPAN_KEYS];
	uint64_t now, count;
	uint32_t keys; /* number of fields that the part has */
};

static __always_inline bool has_part(const uint64_t *key, const struct away *away)
{
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		if (i < spec.keys && i < away->keys && key[i] != away->key[i])
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

	if (!open->begin || open->begin > away->now || !has_part(key, away))
		return 0;
	land(open, away->now);
	place = place_of(key);
	away->count += remove_open(&place, key);
	return 0;
}

/* Returns how many there were. */
static __always_inline uint64_t take_away(const uint64_t *key, uint32_t keys)
{
	struct away away = {.now = bpf_ktime_get_ns(), .keys = keys};

	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		away.key[i] = key[i];
	if (spec.slots)
		bpf_for_each_map_elem(&slots, take_slot_away, &away, 0);
	for (uint32_t i = 0; i < WALKS_MOST && *(volatile uint32_t *)hashed_with(key); i++)
		bpf_for_each_map_elem(&open_spans, take_hashed_away, &away, 0);
	return away.count;
}
