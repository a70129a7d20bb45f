/*
 * perf_ring: head is read with acquire, because the records before it are complete; tail is written with release, because the
 * reader has finished with the bytes before it. Records are multiples of 8 bytes and the ring consists of whole pages, so a
 * header never wraps around, but a body may.
 */
#include "perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int perf_ring_map(struct perf_ring *ring, int fd, uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)size + page;
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED) {
		memset(ring, 0, sizeof(*ring));
		return -errno;
	}
	perf_ring_over(ring, base, (uint8_t *)base + page, size);
	ring->mapped = bytes;
	return 0;
}

void perf_ring_over(struct perf_ring *ring, void *page, void *data, uint64_t size)
{
	*ring = (struct perf_ring){.page = page, .data = data, .size = size};
}

void perf_ring_unmap(struct perf_ring *ring)
{
	if (ring->mapped)
		munmap(ring->page, ring->mapped);
	memset(ring, 0, sizeof(*ring));
}

uint64_t perf_ring_head(const struct perf_ring *ring)
{
	return ring->page ? __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) : 0;
}

uint64_t perf_ring_tail(const struct perf_ring *ring)
{
	return ring->page ? __atomic_load_n(&ring->page->data_tail, __ATOMIC_RELAXED)
			  : 0; /* only this side writes it */
}

void perf_ring_release(struct perf_ring *ring, uint64_t tail)
{
	if (ring->page)
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Returns the size of the record at `at`, or 0 if there is no valid record. A header is 8 bytes, the smallest record. */
static uint64_t size_at(const struct perf_ring *ring, uint64_t at, uint64_t head)
{
	uint64_t left = head - at;
	uint16_t size;

	if (!left || left > ring->size || at % 8)
		return 0;
	memcpy(&size,
	       ring->data + (at & (ring->size - 1)) + offsetof(struct perf_event_header, size),
	       sizeof(size));
	return size % 8 || size > left ? 0 : size;
}

const struct perf_event_header *perf_ring_next(const struct perf_ring *ring, uint64_t *at,
					       uint64_t head, void *scratch)
{
	uint64_t size = size_at(ring, *at, head);
	uint64_t place = *at & (ring->size - 1);
	const void *record = ring->data + place;

	if (!size)
		return NULL;
	if (place + size > ring->size) {
		perf_ring_copy(ring, *at, *at + size, scratch);
		record = scratch;
	}
	*at += size;
	return record;
}

bool perf_record_task(const struct perf_event_header *record, struct perf_task *task)
{
	if (record->size < sizeof(*record) + sizeof(*task))
		return false;
	memcpy(task, record + 1, sizeof(*task));
	return true;
}

void perf_ring_copy(const struct perf_ring *ring, uint64_t from, uint64_t to, void *out)
{
	uint64_t place = from & (ring->size - 1);
	uint64_t size = to - from;
	uint64_t first = ring->size - place < size ? ring->size - place : size;

	memcpy(out, ring->data + place, (size_t)first);
	memcpy((uint8_t *)out + first, ring->data, (size_t)(size - first));
}

uint64_t perf_ring_cut(const struct perf_ring *ring, uint64_t from, uint64_t head, uint64_t limit)
{
	uint64_t at = from, size;

	while ((size = size_at(ring, at, head)) != 0 && at + size - from <= limit)
		at += size;
	return at;
}
