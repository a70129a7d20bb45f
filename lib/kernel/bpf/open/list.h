/* list: what is open, when it is asked for. */
#pragma once

#include "bpf/open/place.h"
#include "bpf/operation/async.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_listed);
} open_list SEC(".maps");
uint32_t open_listed;

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} KERNEL;

static long list_one(struct bpf_map *map, const uint64_t *key, struct bpf_span_open *open,
		     void *none)
{
	uint32_t index = open_listed;
	struct bpf_span_listed *to;

	if (!open->begin || (spec.flights && open->left))
		return 0;
	to = bpf_map_lookup_elem(&open_list, &index);
	if (!to)
		return 1;
	to->open = *open;
	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		to->key[i] = i < spec.keys ? key[i] : 0;
	open_listed++;
	return 0;
}

static long list_async(struct bpf_map *map, const struct async_key *key,
		       const struct bpf_span_open *open, void *none)
{
	uint32_t index = open_listed;
	struct bpf_span_listed *to = bpf_map_lookup_elem(&open_list, &index);

	if (!to)
		return 1;
	to->open = *open;
	to->open.group = open->group ? open->group - 1 : 0;
	to->open.bytes = to->open.left = 0;
	to->key[0] = key->request;
	open_listed++;
	return 0;
}

/*
 * Lists those that have not ended. It is called for each map of the machine, and does its work once: some kernels have no iterator of
 * the elements of a map.
 */
SEC("iter/bpf_map")
int spans_left(struct bpf_iter__bpf_map *context)
{
	if (context->meta->seq_num)
		return 0;
	open_listed = 0;
	bpf_for_each_map_elem(&open_spans, list_one, NULL, 0);
	if (spec.has_async_operations)
		bpf_for_each_map_elem(&open_async, list_async, NULL, 0);
	return 0;
}
