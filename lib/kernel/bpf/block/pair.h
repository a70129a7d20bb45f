/*
 * pair: spans that are block requests or bios, or parts of them: see request.h and bio.h. The key of a span is the address.
 *
 * As in model/block, `bytes` are those of the request when it was issued first. An interrupt may end a request while the same CPU
 * begins another one, so counters of begins are changed by one instruction.
 */
#pragma once

#include "bpf/block/group.h"
#include "bpf/span/flight.h"

/* The request waits no longer, but it may be given back: so its queue ends only with the request. */
static __always_inline void note_issue(struct bpf_span_open *open, uint64_t now)
{
	open->moves |= BPF_SPAN_ISSUED | BPF_SPAN_WAS_ISSUED;
	if (spec.request_part == BPF_SPAN_QUEUE)
		open->left = now;
}

/* task: the one that has caused it. Returns whether there was space. */
static __always_inline bool begin_one(const void *address, const struct bpf_span_open *like,
				      uint64_t task, bool is_issued)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address}, now = bpf_ktime_get_ns();
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open new = *like;

	if (!books)
		return false;
	new.begin = spec.request_part == BPF_SPAN_SERVICE && !is_issued ? 0 : now;
	new.pid = task >> 32;
	new.tid = task;
	if (is_issued)
		note_issue(&new, now);
	if (new.begin && !new.left)
		board(&new);
	if (bpf_map_update_elem(&open_spans, key, &new, BPF_NOEXIST)) {
		land(&new, now);
		__sync_fetch_and_add(&books->full, 1);
		return false;
	}
	if (new.begin)
		__sync_fetch_and_add(&books->begun, 1);
	return true;
}

static __always_inline struct bpf_span_open *find_one(const void *address)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	return bpf_map_lookup_elem(&open_spans, key);
}

/* The request that waited, or that the driver gave back, is issued. */
static __always_inline void issue_one(struct bpf_span_open *open, uint64_t bytes,
				      struct bpf_span_books *books)
{
	uint64_t now = bpf_ktime_get_ns();
	bool begins = !open->begin;

	if (!(open->moves & BPF_SPAN_WAS_ISSUED))
		open->bytes = bytes;
	note_issue(open, now);
	if (spec.request_part == BPF_SPAN_QUEUE)
		land(open, now);
	if (spec.request_part != BPF_SPAN_SERVICE)
		return;
	open->begin = now;
	if (!begins)
		return;
	__sync_fetch_and_add(&books->begun, 1);
	board(open);
}

static __always_inline void drop_one(const void *address, struct bpf_span_open *open)
{
	uint64_t key[BPF_SPAN_KEYS] = {(uint64_t)address};

	land(open, bpf_ktime_get_ns());
	bpf_map_delete_elem(&open_spans, key);
}

/* What the request has moved, and whether it failed, in the flight of its group. */
static __always_inline void unload_one(const struct bpf_span_open *open)
{
	struct bpf_span_flight *flight;

	if (!spec.flights)
		return;
	flight = flight_at(open->flight ? open->flight : flight_of(flight_group(open)));
	if (flight && open->moves & BPF_SPAN_FAILED)
		__sync_fetch_and_add(&flight->errors, 1);
	if (flight && open->moves & BPF_SPAN_READS)
		__sync_fetch_and_add(&flight->read, open->bytes);
	if (flight && open->moves & BPF_SPAN_WRITES)
		__sync_fetch_and_add(&flight->written, open->bytes);
}

static __always_inline void end_one(const void *address, struct bpf_span_open *open)
{
	struct bpf_span_books *books = books_of_cpu();
	uint64_t now = bpf_ktime_get_ns(), group = open->group, bytes = open->bytes, taken;
	uint64_t end = spec.request_part == BPF_SPAN_QUEUE ? open->left : now;
	uint64_t begin = open->begin;
	bool is_rest = is_of_rest(open);

	if (!books)
		return;
	if (begin && end)
		unload_one(open);
	drop_one(address, open);
	if (!begin)
		return;
	if (!end) {
		__sync_fetch_and_add(&books->cancelled, 1);
		return;
	}
	taken = end > begin ? end - begin : 0;
	books->ended++;
	if (spec.above && taken <= spec.above)
		books->below++;
	else
		add_up(books, group, taken, bytes, is_rest);
}
