/*
 * aio: records of asynchronous requests.
 */
#ifndef BPF_AIO_H
#define BPF_AIO_H

#include "sample.h"

#include <iotrace/aio.h>

enum {
	IOVECS_MOST = 16,        /* whose sizes are added up */
	REQUESTS_MOST = 1 << 16, /* of one call */
};

/* What programs and kernel agree on: it is the same everywhere. */
struct iovec_user {
	uint64_t base, size;
};

enum { AIO_SIZE = SAMPLE_SIZE(sizeof(struct bpf_record_aio)) };

static __always_inline void fill_aio(struct bpf_record_aio *record, uint32_t step, uint32_t api,
				     uint64_t queue)
{
	__builtin_memset(record, 0, sizeof(*record));
	record->head.kind = BPF_RECORD_AIO;
	record->head.size = sizeof(*record);
	record->step = step;
	record->api = api;
	record->fd = AIO_FD_NONE;
	record->index = -1;
	record->queue = queue;
	record->offset = AIO_UNKNOWN;
	record->bytes = AIO_UNKNOWN;
}

/* A record that is a step alone. */
static __always_inline void send_aio(struct task_struct *task, uint64_t time,
				     const struct bpf_record_aio *aio)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct bpf_books *book = bpf_map_lookup_elem(&books, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct sample_head *head;

	if (!book || !ring)
		return;
	head = bpf_ringbuf_reserve(ring, AIO_SIZE, 0);
	if (!head) {
		note_drop(book, time);
		return;
	}
	put_head(head, time, cpu, AIO_SIZE);
	put_task(head, task);
	*(struct bpf_record_aio *)((void *)head + RAW_AT) = *aio;
	book->requests++;
	bpf_ringbuf_submit(head, wake_flag(book, AIO_SIZE));
}

/* Returns the sum of their sizes, or AIO_UNKNOWN. */
static __always_inline uint64_t iovecs_size(uint64_t address, uint64_t count)
{
	struct iovec_user iovec;
	uint64_t sum = 0;

	if (count > IOVECS_MOST)
		return AIO_UNKNOWN;
	for (uint32_t i = 0; i < IOVECS_MOST; i++) {
		if (i >= count)
			break;
		if (bpf_probe_read_user(&iovec, sizeof(iovec),
					(void *)(address + i * sizeof(iovec))))
			return AIO_UNKNOWN;
		sum += iovec.size;
	}
	return sum;
}

#endif
