/*
 * span_flight: counts the spans of each group that are in flight, and the time in which any was. If spec.flights is 0, the kernel's
 * verifier removes all of this from the programs.
 *
 * All CPUs use the same counters. Times are only added and subtracted, so the order of two CPUs does not matter.
 */
#pragma once

#include "bpf/span_recent.h"
#include "bpf/span_value.h"

const volatile uint8_t about[BPF_SPAN_VALUES];
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

/* Events of calls are looked at before: see take_call(). */
static __always_inline bool is_unwanted(const struct input *input)
{
	const volatile struct bpf_span_side *side = &spec.side[BPF_SPAN_BEGIN];
	uint64_t what;

	if (!spec.has_about || side->call)
		return false;
	what = VALUE(input, side, BPF_SPAN_WHAT);
	return what < BPF_SPAN_VALUES && about[what] & BPF_SPAN_UNWANTED;
}

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

static __always_inline void fly(struct bpf_span_flight *flight, uint64_t now)
{
	if (flight && !__sync_fetch_and_add(&flight->count, 1))
		__sync_fetch_and_add(&flight->busy, -now);
}

static __always_inline void land_one(struct bpf_span_flight *flight, uint64_t now)
{
	if (flight && __sync_fetch_and_add(&flight->count, -1) == 1)
		__sync_fetch_and_add(&flight->busy, now);
}

static __always_inline void board(struct bpf_span_open *open)
{
	bool is_of_owner = spec.owner && spec.owner != BPF_SPAN_OF_CONNECTION;

	open->flight = flight_of(is_of_owner ? open->group >> BPF_SPAN_OWNER_SHIFT : open->group);
	fly(flight_at(open->flight), open->begin);
	fly(flight_at(BPF_SPAN_FLIGHT_ALL), open->begin);
}

static __always_inline void take_off(struct bpf_span_open *open, const struct input *input)
{
	uint64_t what;

	if (!spec.flights)
		return;
	what = VALUE(input, &spec.side[BPF_SPAN_BEGIN], BPF_SPAN_WHAT);
	open->moves = spec.has_about && what < BPF_SPAN_VALUES ? about[what] : 0;
	board(open);
}

static __always_inline void land(struct bpf_span_open *open, uint64_t now)
{
	if (!spec.flights || !open->flight)
		return;
	land_one(flight_at(open->flight), now);
	land_one(flight_at(BPF_SPAN_FLIGHT_ALL), now);
	open->flight = 0;
}

static __always_inline uint64_t less(uint64_t bytes, uint32_t header)
{
	return bytes > header ? bytes - header : 0;
}

static __always_inline bool is_of_rest(const struct bpf_span_open *open)
{
	return spec.flights && open->flight == BPF_SPAN_FLIGHT_REST;
}

/* What the end says of it. */
static __always_inline void unload(const struct bpf_span_open *open, const struct input *input)
{
	const volatile struct bpf_span_side *side = &spec.side[BPF_SPAN_END];
	struct bpf_span_flight *flight;
	uint64_t size, outcome;

	if (!spec.flights)
		return;
	flight = flight_at(open->flight);
	if (!flight)
		return;
	outcome = spec.has_outcome ? VALUE(input, side, BPF_SPAN_OUTCOME) : 0;
	if ((int64_t)outcome < 0) {
		__sync_fetch_and_add(&flight->errors, 1);
		count_errno(-outcome);
		return;
	}
	size = side->field[BPF_SPAN_SIZE].at ? VALUE(input, side, BPF_SPAN_SIZE) : 0;
	if (open->moves & BPF_SPAN_READS)
		__sync_fetch_and_add(&flight->read, less(spec.is_read_of_end ? size : open->bytes,
							 spec.read_header));
	if (open->moves & BPF_SPAN_WRITES)
		__sync_fetch_and_add(&flight->written,
				     less(spec.is_written_of_end ? size : open->bytes,
					  spec.written_header));
}
