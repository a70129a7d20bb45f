/*
 * pair: spans that are block requests or bios: see request.h and bio.h. The key of a span is the address.
 *
 * `bytes` of an open request is what its parts have moved so far; of a bio, all that it will move. An interrupt may end a request while
 * the same CPU begins another one, so counters of begins are changed by one instruction.
 */
#pragma once

#include "bpf/block/device.h"
#include "bpf/span/flight.h"

const volatile uint32_t zone_append; /* number of this operation, which differs between kernels */

static __always_inline bool is_of_chosen(uint32_t device)
{
	bool is = !spec.devices;

	for (uint32_t i = 0; i < BPF_SPAN_DEVICES; i++)
		is = is || (i < spec.devices && spec.device[i] == device);
	return is;
}

static __always_inline uint32_t moves_of(uint32_t flags)
{
	uint32_t operation = flags & OPERATION;

	return operation == REQ_OP_READ                                ? BPF_SPAN_READS
	       : operation == REQ_OP_WRITE || operation == zone_append ? BPF_SPAN_WRITES
								       : 0;
}

/* task: the one that has caused it. Returns whether there was space. */
static __always_inline bool begin_one(const void *address, const struct bpf_span_open *like,
				      uint64_t task)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open new = *like;

	if (!books)
		return false;
	new.begin = bpf_ktime_get_ns();
	new.pid = task >> 32;
	new.tid = task;
	if (spec.owner)
		new.group = new.group << BPF_SPAN_OWNER_SHIFT |
			    (new.moves &(BPF_SPAN_READS | BPF_SPAN_WRITES));
	board(&new);
	if (bpf_map_update_elem(&open_spans, key, &new, BPF_NOEXIST)) {
		land(&new, new.begin);
		__sync_fetch_and_add(&books->full, 1);
		return false;
	}
	__sync_fetch_and_add(&books->begun, 1);
	return true;
}

static __always_inline struct bpf_span_open *find_one(const void *address)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	return bpf_map_lookup_elem(&open_spans, key);
}

static __always_inline void drop_one(const void *address, struct bpf_span_open *open)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	land(open, bpf_ktime_get_ns());
	bpf_map_delete_elem(&open_spans, key);
}

static __always_inline void end_one(const void *address, struct bpf_span_open *open)
{
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_flight *flight = flight_at(open->flight);
	uint64_t now = bpf_ktime_get_ns(), group = open->group, bytes = open->bytes;
	uint64_t taken = now > open->begin ? now - open->begin : 0;
	bool is_rest = is_of_rest(open);

	if (!books)
		return;
	if (flight && open->moves & BPF_SPAN_FAILED)
		__sync_fetch_and_add(&flight->errors, 1);
	if (flight && open->moves & BPF_SPAN_READS)
		__sync_fetch_and_add(&flight->read, bytes);
	if (flight && open->moves & BPF_SPAN_WRITES)
		__sync_fetch_and_add(&flight->written, bytes);
	drop_one(address, open);
	books->ended++;
	add_up(books, group, taken, bytes, is_rest);
}
