/*
 * bpf_span_open: an open span, as the programs that count spans keep and list it.
 *
 * Plain C for the BPF target as well.
 */
#pragma once

#ifndef __bpf__
#include <stdint.h>
#endif

enum { BPF_SPAN_KEYS = 4 };

/*
 * An open span. begin 0: it has ended, and its entry waits for the next span of the thread; or it is a part of a block request that
 * begins later.
 */
struct bpf_span_open {
	uint64_t begin, group;
	uint64_t bytes; /* or the second file: see bpf/span/owner.h */
	/* Time when its thread ended, or when the request whose queue it was in was issued last; 0: it runs, or waits. */
	uint64_t left;
	uint32_t pid, tid;
	uint32_t flight, moves; /* flight: 0: it is in none any more; moves: BPF_SPAN_READS, ... */
};

/* See open/hashed.h. */
enum { BPF_SPAN_PARTS = 4096 };

/* The state of a slot: 0 if it is free, otherwise the upper bits of the hash of its key or its thread, and what it is. */
enum {
	BPF_SPAN_SLOT_BUSY = 1,
	BPF_SPAN_SLOT_OPEN = 2,
	BPF_SPAN_SLOT_STATES = 3,
	BPF_SPAN_SLOT_BITS = 2
};

/* A place for one open span. others: number of open spans that have no other slot and are in the hash. */
struct bpf_span_slot {
	uint64_t state;
	uint32_t others, none;
	struct bpf_span_open open;
	uint64_t key[BPF_SPAN_KEYS];
};

/* Of the list of what is open. */
struct bpf_span_listed {
	struct bpf_span_open open;
	uint64_t key[BPF_SPAN_KEYS];
};
