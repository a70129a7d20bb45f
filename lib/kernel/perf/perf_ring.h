/*
 * perf_ring: a ring buffer that the kernel fills with records.
 *
 * Any memory of the right form works, so tests need no kernel. Positions only increase; the offset in memory is the position modulo
 * the size, a power of two. Complete records are between tail and head. An invalid record ends a walk, and never leads it out of
 * [tail, head).
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_RECORD_BYTES = 1 << 16 }; /* a record's size is a __u16 */

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	uint8_t *data;                     /* points into the mapping */
	uint64_t size;                     /* of data: a power of two */
	size_t mapped;                     /* 0: the memory is lent */
};

/* Maps the ring buffer of an event. Returns 0 or -errno. */
int perf_ring_map(struct perf_ring *ring, int fd, uint64_t size);
/* Uses lent memory: a page, then `size` bytes. */
void perf_ring_over(struct perf_ring *ring, void *page, void *data, uint64_t size);
void perf_ring_unmap(struct perf_ring *ring);

/* Returns the position where the kernel will write next. Everything before it can be read. An unmapped ring buffer is empty. */
uint64_t perf_ring_head(const struct perf_ring *ring);
uint64_t perf_ring_tail(const struct perf_ring *ring);
/* Returns the space before `tail` to the kernel. */
void perf_ring_release(struct perf_ring *ring, uint64_t tail);

/*
 * Returns the record at *at and advances *at, or NULL at head or at an invalid record. The record is lent until the next call with
 * the same scratch memory (PERF_RECORD_BYTES bytes), which is used if the record wraps around.
 */
const struct perf_event_header *perf_ring_next(const struct perf_ring *ring, uint64_t *at,
					       uint64_t head, void *scratch);
/* The first fields of FORK and EXIT. */
struct perf_task {
	uint32_t pid, ppid, tid, ptid;
};

/* Copies the two fields. Returns false if the record is too short. */
bool perf_record_task(const struct perf_event_header *record, struct perf_task *task);
/* Copies [from, to) to out. The caller makes sure that it is at most the size of the ring buffer. */
void perf_ring_copy(const struct perf_ring *ring, uint64_t from, uint64_t to, void *out);
/* Returns the last end of a record in [from, head] that is at most `limit` bytes after `from`. */
uint64_t perf_ring_cut(const struct perf_ring *ring, uint64_t from, uint64_t head, uint64_t limit);
