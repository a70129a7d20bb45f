/*
 * bpf_ring: the memory that the kernel's kernel/bpf/ringbuf.c maps: a writable page with the reader's position, a page with the
 * writer's position, and then the data, twice. The kernel stores the length of a record with release semantics when the record is
 * complete.
 */
#include "bpf_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int bpf_ring_map(struct bpf_ring *ring, int fd, uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint8_t *theirs;

	memset(ring, 0, sizeof(*ring));
	if (ours == MAP_FAILED)
		return -errno;
	theirs = mmap(NULL, page + 2 * (size_t)size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (theirs == MAP_FAILED) {
		int code = errno;

		munmap(ours, page);
		return -code;
	}
	*ring = (struct bpf_ring){ours, (const uint64_t *)theirs, theirs + page, size};
	return 0;
}

void bpf_ring_unmap(struct bpf_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->tail) {
		munmap(ring->tail, page);
		munmap((void *)(uintptr_t)ring->head, page + 2 * (size_t)ring->size);
	}
	memset(ring, 0, sizeof(*ring));
}

uint64_t bpf_ring_head(const struct bpf_ring *ring)
{
	return __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
}

uint64_t bpf_ring_tail(const struct bpf_ring *ring)
{
	return __atomic_load_n(ring->tail, __ATOMIC_RELAXED); /* only this side writes it */
}

void bpf_ring_release(struct bpf_ring *ring, uint64_t tail)
{
	__atomic_store_n(ring->tail, tail, __ATOMIC_RELEASE);
}

void bpf_ring_take(const struct bpf_ring *ring, struct bpf_ring_reach *reach, bool is_held)
{
	reach->head = bpf_ring_head(ring);
	if (!is_held)
		reach->goal = reach->head;
}

bool bpf_ring_is_reached(const struct bpf_ring *ring, const struct bpf_ring_reach *reach)
{
	return bpf_ring_tail(ring) >= reach->goal;
}

enum bpf_ring_next bpf_ring_next(const struct bpf_ring *ring, uint64_t *at, uint64_t head,
				 const void **bytes, uint32_t *length)
{
	if (head - *at > ring->size)
		return BPF_RING_BAD;
	while (*at < head) {
		const uint8_t *record = ring->data + (*at & (ring->size - 1));
		uint32_t word = __atomic_load_n((const uint32_t *)(const void *)record,
						__ATOMIC_ACQUIRE);
		uint32_t size = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		uint64_t step = ((uint64_t)size + BPF_RINGBUF_HDR_SZ + 7) & ~UINT64_C(7);

		if (word & BPF_RINGBUF_BUSY_BIT)
			return BPF_RING_BUSY;
		if (step > head - *at)
			return BPF_RING_BAD;
		*at += step;
		if (word & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*bytes = record + BPF_RINGBUF_HDR_SZ;
		*length = size;
		return BPF_RING_RECORD;
	}
	return BPF_RING_END;
}
