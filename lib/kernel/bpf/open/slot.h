/* slot: a place for one open span, and what programs do to it: see place.h. */
#pragma once

#include "count/bpf_span_shared.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_slot);
} slots SEC(".maps");

static __always_inline uint64_t mixed(const uint64_t *key)
{
	uint64_t hash = key[0] * 0x9e3779b97f4a7c15;

	for (uint32_t i = 1; i < BPF_SPAN_KEYS; i++)
		if (i < spec.keys)
			hash = (hash ^ hash >> 32 ^ key[i]) * 0xff51afd7ed558ccd;
	hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 32;
}

static __always_inline uint64_t state_of(const struct bpf_span_slot *slot)
{
	return *(const volatile uint64_t *)&slot->state;
}

/* What was written to the slot before is visible to those who see the new state. */
static __always_inline void set_state(struct bpf_span_slot *slot, uint64_t state)
{
#ifdef __TARGET_ARCH_x86
	asm volatile("" ::: "memory");
	*(volatile uint64_t *)&slot->state = state;
#else
	__sync_lock_test_and_set(&slot->state, state);
#endif
}

static __always_inline bool change_state(struct bpf_span_slot *slot, uint64_t from, uint64_t to)
{
	return __sync_val_compare_and_swap(&slot->state, from, to) == from;
}

static __always_inline bool has_key(const struct bpf_span_slot *slot, const uint64_t *key)
{
	bool has = slot->key[0] == key[0];

	for (uint32_t i = 1; i < BPF_SPAN_KEYS; i++)
		has = has && (i >= spec.keys || slot->key[i] == key[i]);
	return has;
}
