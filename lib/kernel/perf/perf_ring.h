/*
 * perf_ring: the memory that the kernel writes records into.
 *
 * Mechanism only: any memory of the right shape will do. Positions are the kernel's: they only rise, and the
 * place of a position in memory is its remainder by the (power of two) size. Between tail and head stand whole
 * records; what the kernel might have done wrong ends a walk, never leads it out of [tail, head).
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_RECORD_BYTES = 1 << 16 }; /* a record's size is a __u16 */

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	uint8_t *data;                     /* lent by the mapping */
	uint64_t size;                     /* of data: a power of two */
	size_t mapped;                     /* 0: the memory is somebody else's */
};

/* Maps the ring of an event. Returns 0 or -errno. */
int perf_ring_map(struct perf_ring *ring, int fd, uint64_t size);
/* Takes memory that is there (lent): a page, then `size` bytes. */
void perf_ring_over(struct perf_ring *ring, void *page, void *data, uint64_t size);
void perf_ring_unmap(struct perf_ring *ring);

/* Returns where the kernel will write next; all before it can be read. A ring that is not mapped is empty. */
uint64_t perf_ring_head(const struct perf_ring *ring);
uint64_t perf_ring_tail(const struct perf_ring *ring);
/* Gives everything before `tail` back to the kernel. */
void perf_ring_release(struct perf_ring *ring, uint64_t tail);

/*
 * Returns the record at *at and steps over it, or NULL at head or at what cannot be a record. The record is
 * lent until the next call with the same scratch (PERF_RECORD_BYTES bytes; used if the record wraps around).
 */
const struct perf_event_header *perf_ring_next(const struct perf_ring *ring, uint64_t *at,
					       uint64_t head, void *scratch);
/* What FORK and EXIT begin with. */
struct perf_task {
	uint32_t pid, ppid, tid, ptid;
};

/* Returns whether the record is as long as it must be. */
bool perf_record_task(const struct perf_event_header *record, struct perf_task *task);
/* Copies [from, to), which the caller knows to be at most the ring's size, to out. */
void perf_ring_copy(const struct perf_ring *ring, uint64_t from, uint64_t to, void *out);
/* Returns the last position in [from, head] where a record ends and that is at most `limit` bytes from `from`. */
uint64_t perf_ring_cut(const struct perf_ring *ring, uint64_t from, uint64_t head, uint64_t limit);
