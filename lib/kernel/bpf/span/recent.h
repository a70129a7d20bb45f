/*
 * recent: finds the flights of groups, and those flights and cells that this CPU has used lately. A look-up in a hash takes 30 ns, one
 * of these 3.
 *
 * Each CPU has a table. Several groups may share an entry, so a number that is found there is checked: the flight or cell must be the
 * group's own.
 */
#pragma once

#include "bpf/span/text.h"
#include "count/bpf_span_cell.h"
#include "count/bpf_span_shared.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_recent);
} recent SEC(".maps");

static __always_inline uint32_t entry_of(uint64_t group, uint32_t number)
{
	return ((group * 0x9e3779b97f4a7c15 >> 32) + number) % BPF_SPAN_RECENT;
}

static __always_inline struct bpf_span_recent *recent_of_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&recent, &cpu);
}

/* Both return an entry with a number, or with 0. NULL: there is no table for this CPU. */
static __always_inline uint32_t *recent_flight(uint64_t group)
{
	struct bpf_span_recent *of_cpu = recent_of_cpu();

	return of_cpu ? &of_cpu->flight[entry_of(group, 0)] : NULL;
}

static __always_inline uint32_t *recent_cell(const struct bpf_span_cell_key *key)
{
	struct bpf_span_recent *of_cpu = recent_of_cpu();

	return of_cpu ? &of_cpu->cell[entry_of(key->group, key->number)] : NULL;
}

uint32_t flights_used; /* of those for groups, and perhaps more */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bpf_span_flight);
} flights SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint64_t);
	__type(value, uint32_t);
} flight_index SEC(".maps");

static __always_inline struct bpf_span_flight *flight_at(uint32_t index)
{
	return bpf_map_lookup_elem(&flights, &index);
}

/* Returns the number of the group's flight, which is made if there is room. */
static __always_inline uint32_t find_flight(uint64_t group)
{
	uint32_t *index = bpf_map_lookup_elem(&flight_index, &group), new;
	struct bpf_span_flight *flight;

	if (index)
		return *index;
	if (has_no_text(group))
		return BPF_SPAN_FLIGHT_REST;
	if (flights_used >= spec.flights - BPF_SPAN_FLIGHT_FIRST)
		return BPF_SPAN_FLIGHT_REST;
	new = BPF_SPAN_FLIGHT_FIRST + __sync_fetch_and_add(&flights_used, 1);
	flight = flight_at(new);
	if (!flight)
		return BPF_SPAN_FLIGHT_REST;
	flight->group = group;
	bpf_get_current_comm(flight->comm, sizeof(flight->comm));
	/* Another CPU may have made one at the same time. */
	if (bpf_map_update_elem(&flight_index, &group, &new, BPF_NOEXIST)) {
		index = bpf_map_lookup_elem(&flight_index, &group);
		return index ? *index : BPF_SPAN_FLIGHT_REST;
	}
	return new;
}

/* The same. A flight never changes its group. */
static __always_inline uint32_t flight_of(uint64_t group)
{
	uint32_t *entry = recent_flight(group), index = entry ? *entry : 0;
	struct bpf_span_flight *flight = flight_at(index);

	if (index && flight && flight->group == group)
		return index;
	index = find_flight(group);
	if (entry && index != BPF_SPAN_FLIGHT_REST)
		*entry = index;
	return index;
}
