/*
 * place: where open spans are kept: in the slots of an array, or else in a hash.
 *
 * To insert an element into a hash and to delete it takes more than 300 ns, a slot is taken and given back in 15. Each key has one slot, its
 * home. If the home contains another span, the span goes to the hash, and its home counts that. A home without such spans answers
 * for the hash, too.
 *
 * A program that changes a slot first makes its state "busy", and nobody else changes it then. Others with the same home use the hash.
 * The slot of a thread is changed by this thread only, so it needs no such lock.
 */
#pragma once

#include "bpf/open/hashed.h"
#include "bpf/open/slot.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(uint64_t[BPF_SPAN_KEYS]));
	__uint(value_size, sizeof(struct bpf_span_open));
	__uint(max_entries, 1);
} open_spans SEC(".maps");

struct place {
	struct bpf_span_slot *home; /* of the key; NULL: there are no slots */
	uint64_t name;              /* of the key, for the state of its slot */
	bool is_home;               /* the span is there, and not in the hash */
};

static __always_inline struct place place_of(const uint64_t *key)
{
	struct place place = {0};
	uint32_t index;

	if (!spec.slots)
		return place;
	/* Numbers of threads need no mixing. */
	place.name = spec.is_of_thread ? key[0] << BPF_SPAN_SLOT_BITS : mixed(key);
	index = (spec.is_of_thread ? key[0] : place.name >> 32) & (spec.slots - 1);
	place.name &= ~(uint64_t)BPF_SPAN_SLOT_STATES;
	place.home = bpf_map_lookup_elem(&slots, &index);
	return place;
}

/*
 * Returns the span with this key; NULL: there is none. Nobody else changes it if it is in a slot, until keep_open() or forget_open(). Two
 * keys with one name are possible, but not in one slot at the same time.
 */
static __always_inline struct bpf_span_open *find_open(struct place *place, const uint64_t *key)
{
	uint64_t is_open = place->name | BPF_SPAN_SLOT_OPEN;
	struct bpf_span_slot *home = place->home;

	if (home && state_of(home) == is_open && has_key(home, key) &&
	    (spec.is_of_thread || change_state(home, is_open, place->name | BPF_SPAN_SLOT_BUSY))) {
		place->is_home = true;
		return &home->open;
	}
	if (home && !*(volatile uint32_t *)&home->others)
		return NULL;
	return bpf_map_lookup_elem(&open_spans, key);
}

/* Returns the slot of the key if it was free; it is busy now. */
static __always_inline struct bpf_span_open *take_home(struct place *place, const uint64_t *key)
{
	struct bpf_span_slot *home = place->home;

	if (!home || state_of(home) || !change_state(home, 0, place->name | BPF_SPAN_SLOT_BUSY))
		return NULL;
	home->key[0] = key[0];
	for (uint32_t i = 1; i < BPF_SPAN_KEYS; i++)
		if (i < spec.keys)
			home->key[i] = key[i];
	place->is_home = true;
	return &home->open;
}

/* Another CPU begins or ends a span of this key at this moment. */
static __always_inline bool is_contested(const struct place *place)
{
	return place->home &&
	       (state_of(place->home) & ~(uint64_t)BPF_SPAN_SLOT_STATES) == place->name;
}

/* Ends what find_open() or take_home() began. */
static __always_inline void keep_open(const struct place *place)
{
	if (place->is_home)
		set_state(place->home, place->name | BPF_SPAN_SLOT_OPEN);
}

/* Returns 0 or a negative error. */
static __always_inline long insert_open(const struct place *place, const uint64_t *key,
					const struct bpf_span_open *new)
{
	long code;

	if (place->home)
		__sync_fetch_and_add(&place->home->others, 1);
	count_hashed(key, 1);
	code = bpf_map_update_elem(&open_spans, key, new, BPF_NOEXIST);
	if (code && place->home)
		__sync_fetch_and_add(&place->home->others, -1);
	if (code)
		count_hashed(key, -1);
	return code;
}

/* Returns false if another CPU has removed it before. */
static __always_inline bool remove_open(const struct place *place, const uint64_t *key)
{
	if (place->is_home) {
		set_state(place->home, 0);
		return true;
	}
	if (bpf_map_delete_elem(&open_spans, key))
		return false;
	if (place->home)
		__sync_fetch_and_add(&place->home->others, -1);
	count_hashed(key, -1);
	return true;
}

/* The span has ended. A thread most often begins another one, so its place stays. */
static __always_inline void forget_open(const struct place *place, struct bpf_span_open *open,
					const uint64_t *key)
{
	if (spec.is_of_thread)
		open->begin = 0;
	else
		remove_open(place, key);
}
