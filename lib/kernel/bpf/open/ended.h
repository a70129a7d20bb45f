/*
 * ended: the last end of each thread, where several events end a span. An end may contain another one of the same span
 * (virtqueue_push() calls virtqueue_fill()), which does not count, neither here nor in the engine (engine_entry.h).
 */
#pragma once

#include "bpf/span/value.h"

struct last_end {
	uint64_t key[BPF_SPAN_KEYS];
	uint64_t point;
};

/* Of many threads, those that ended a span last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct last_end);
} last_ends SEC(".maps");

/* Returns whether the last end in this thread was of the same key, by another point. */
static __always_inline bool has_just_ended(const struct input *input, const uint64_t *key)
{
	uint32_t tid = input->task;
	const struct last_end *last;

	if (!spec.has_ends)
		return false;
	last = bpf_map_lookup_elem(&last_ends, &tid);
	if (!last || last->point == number_of_point(input))
		return false;
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		if (i < spec.keys && last->key[i] != key[i])
			return false;
	return true;
}

static __always_inline void note_end(const struct input *input, const uint64_t *key)
{
	uint32_t tid = input->task;
	struct last_end *last, new;

	if (!spec.has_ends)
		return;
	last = bpf_map_lookup_elem(&last_ends, &tid);
	if (!last) {
		new.point = number_of_point(input);
		for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
			new.key[i] = key[i];
		bpf_map_update_elem(&last_ends, &tid, &new, BPF_ANY);
		return;
	}
	last->point = number_of_point(input);
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		last->key[i] = key[i];
}

static __always_inline void forget_ends(uint32_t tid)
{
	if (spec.has_ends)
		bpf_map_delete_elem(&last_ends, &tid);
}
