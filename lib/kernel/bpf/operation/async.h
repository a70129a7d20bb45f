/*
 * async: asynchronous requests as operations, from when the kernel takes them to their ends, as in model/aio. Without
 * spec.has_async_operations, no program is loaded.
 *
 * Requests are in a hash of their own, because they do not belong to a thread.
 */
#pragma once

#include "bpf/operation/group.h"

#include <iotrace/aio.h>

/* A request of io_uring: 0 and its address, or its ring and the program's number for it. An iocb: its process and its address there. */
struct async_key {
	uint64_t owner, request;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct async_key);
	__type(value, struct bpf_span_open);
} open_async SEC(".maps");
uint64_t open_silent; /* how many of them may have no end that is reported */

/* By API and opcode: the mode of the operation and 1, and ASYNC_REPEATS; 0: it is none. */
const volatile uint8_t async_about[AIO_APIS][BPF_SPAN_OPCODES];

/* bpf_span_open.moves of a request: its mode, and flags. */
enum { ASYNC_MODE = 3, ASYNC_REPEATS = BPF_SPAN_ASYNC_REPEATS, ASYNC_SILENT = 32, ASYNC_IOCB = 64 };
#define ASYNC_UNREPORTED (ASYNC_SILENT | ASYNC_IOCB)

static __always_inline uint32_t about_async(uint32_t api, uint32_t opcode)
{
	return opcode < BPF_SPAN_OPCODES ? async_about[api][opcode & (BPF_SPAN_OPCODES - 1)] : 0;
}

static __always_inline void take_async(const struct async_key *key,
				       const struct bpf_span_open *open)
{
	if (!bpf_map_delete_elem(&open_async, key) && open->moves & ASYNC_UNREPORTED)
		__sync_fetch_and_add(&open_silent, -1);
}

/* group: and 1, as in group.h. A request that only waits for its file has none yet. */
static __always_inline void end_async(const struct async_key *key, const struct bpf_span_open *from,
				      uint64_t group, int64_t result, struct bpf_span_books *books)
{
	const struct bpf_span_open open = *from;
	uint64_t now = bpf_ktime_get_ns(), taken = now > open.begin ? now - open.begin : 0;
	bool moves = (open.moves & ASYNC_MODE) != BPF_SPAN_OP_FLUSH;

	take_async(key, &open);
	count(&books->ended, 1);
	if (spec.above && taken <= spec.above) {
		count(&books->below, 1);
		return;
	}
	group = group ? group - 1 : 0;
	add_up(books, group, taken, moves ? open.bytes + (result > 0 ? result : 0) : 0,
	       has_no_text(group));
}

/* Its end is not reported, or it never began. */
static __always_inline void drop_async(const struct async_key *key,
				       const struct bpf_span_open *from, uint64_t *counter,
				       uint64_t more)
{
	const struct bpf_span_open open = *from;

	take_async(key, &open);
	count(counter, more);
}

/* Another request with this key shows that the earlier one has ended, but not when. Ends of silent ones and of iocbs need not be reported. */
static __always_inline void end_unseen(const struct async_key *key,
				       const struct bpf_span_open *open,
				       struct bpf_span_books *books)
{
	drop_async(key, open,
		   open->moves & ASYNC_UNREPORTED ? &books->unreported : &books->begun_again, 1);
}

static __always_inline void begin_async(const struct async_key *key,
					const struct bpf_span_open *new,
					struct bpf_span_books *books)
{
	const struct bpf_span_open *earlier = bpf_map_lookup_elem(&open_async, key);

	if (earlier)
		end_unseen(key, earlier, books);
	if (bpf_map_update_elem(&open_async, key, new, BPF_NOEXIST)) {
		count(&books->full, 1);
		return;
	}
	count(&books->begun, 1);
	if (new->moves & ASYNC_UNREPORTED)
		__sync_fetch_and_add(&open_silent, 1);
}
