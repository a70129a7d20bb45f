/*
 * bpf_ring: the memory of a BPF ring buffer, for its reader.
 *
 * It works on any memory of this layout, as perf_ring does. Positions only increase; the offset in memory is the position modulo
 * the size, a power of two. The kernel maps the data twice in a row, so no record wraps around. Before each record is a word with
 * its length, which also says whether the record is still being written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_ring {
	uint64_t *tail;       /* written by the reader; NULL: not mapped */
	const uint64_t *head; /* written by the kernel */
	const uint8_t *data;  /* mapped twice */
	uint64_t size;        /* size of the data, counted once */
};

enum bpf_ring_next {
	BPF_RING_RECORD,
	BPF_RING_END,  /* no record before the head */
	BPF_RING_BUSY, /* the record here is still being written */
	BPF_RING_BAD,  /* there is no valid record here */
};

/* Maps the ring buffer behind fd. Returns 0 or -errno. */
int bpf_ring_map(struct bpf_ring *ring, int fd, uint64_t size);
void bpf_ring_unmap(struct bpf_ring *ring);

/* Returns the position where the kernel will write next. */
uint64_t bpf_ring_head(const struct bpf_ring *ring);
uint64_t bpf_ring_tail(const struct bpf_ring *ring);
/* Returns the space before `tail` to the kernel. */
void bpf_ring_release(struct bpf_ring *ring, uint64_t tail);

/*
 * How far a round reads. The round ends when it has read all records that had space in the ring when it began. A record that is
 * still being written holds the round.
 */
struct bpf_ring_reach {
	uint64_t head; /* the reader stops here for now */
	uint64_t goal; /* the round does not end before this position */
};

/* Reads the writer's position. is_held: continues a round instead of beginning a new one. */
void bpf_ring_take(const struct bpf_ring *ring, struct bpf_ring_reach *reach, bool is_held);
/* Returns whether the round may end. */
bool bpf_ring_is_reached(const struct bpf_ring *ring, const struct bpf_ring_reach *reach);

/*
 * Skips discarded records. Returns the next record before head: its `bytes` (lent until the space is released) and `length`. *at
 * stays unchanged if there is none.
 */
enum bpf_ring_next bpf_ring_next(const struct bpf_ring *ring, uint64_t *at, uint64_t head,
				 const void **bytes, uint32_t *length);
