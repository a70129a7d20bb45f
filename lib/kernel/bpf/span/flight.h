/*
 * flight: counts the spans of each group that are in flight, and the time in which any was. If spec.flights is 0, the kernel's
 * verifier removes all of this from the programs.
 *
 * All CPUs use the same counters. Times are only added and subtracted, so the order of two CPUs does not matter.
 */
#pragma once

#include "bpf/span/owner.h"
#include "bpf/span/recent.h"
#include "bpf/span/text.h"

/* Events of calls are looked at before: see take_call(). */
static __always_inline bool is_unwanted(const struct input *input)
{
	if (!spec.has_about || input->point->call)
		return false;
	return about_value(VALUE(input, BPF_SPAN_WHAT)) & BPF_SPAN_UNWANTED;
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

/* The flight of the other operation of a call that copies; NULL: there is none. It is found by its group. */
static __always_inline struct bpf_span_flight *second_flight(const struct bpf_span_open *open)
{
	uint64_t second = second_group(open);

	return second ? flight_at(flight_of(second - 1)) : NULL;
}

/* Returns the group of the span's flight. */
static __always_inline uint64_t flight_group(const struct bpf_span_open *open)
{
	bool is_of_owner = spec.owner && spec.owner != BPF_SPAN_OF_CONNECTION &&
			   spec.owner != BPF_SPAN_OF_OPERATION;

	return is_of_owner ? open->group >> BPF_SPAN_OWNER_SHIFT : open->group;
}

static __always_inline void board(struct bpf_span_open *open)
{
	fly(second_flight(open), open->begin);
	open->flight = flight_of(flight_group(open));
	fly(flight_at(open->flight), open->begin);
	fly(flight_at(BPF_SPAN_FLIGHT_ALL), open->begin);
}

static __always_inline void take_off(struct bpf_span_open *open, const struct input *input)
{
	open->moves = spec.has_about ? about_value(VALUE(input, BPF_SPAN_WHAT)) : 0;
	if (spec.flights)
		board(open);
}

static __always_inline void land(struct bpf_span_open *open, uint64_t now)
{
	if (!spec.flights || !open->flight)
		return;
	land_one(second_flight(open), now);
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
	struct bpf_span_flight *flight, *to;
	uint64_t size, outcome;

	if (!spec.flights)
		return;
	flight = flight_at(open->flight);
	if (!flight)
		return;
	to = second_flight(open);
	outcome = spec.has_outcome ? VALUE(input, BPF_SPAN_OUTCOME) : 0;
	if ((int64_t)outcome < 0) {
		__sync_fetch_and_add(&flight->errors, 1);
		if (to)
			__sync_fetch_and_add(&to->errors, 1);
		count_errno(-outcome);
		return;
	}
	size = input->point->field[BPF_SPAN_SIZE].at ? VALUE(input, BPF_SPAN_SIZE) : 0;
	if (open->moves & BPF_SPAN_READS)
		__sync_fetch_and_add(&flight->read, less(spec.is_read_of_end ? size : open->bytes,
							 spec.read_header));
	if (open->moves & BPF_SPAN_WRITES)
		__sync_fetch_and_add(&(to ? to : flight)->written,
				     less(spec.is_written_of_end ? size : open->bytes,
					  spec.written_header));
}
