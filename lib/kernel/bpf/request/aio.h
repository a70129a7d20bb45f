/* aio: records of asynchronous requests. */
#pragma once

#include "bpf/base/sample.h"

#include <iotrace/aio.h>

enum {
	IOVECS_MOST = 16,        /* maximum number of iovecs whose sizes are added */
	REQUESTS_MOST = 1 << 16, /* maximum for one call: at most TURNS_MOST */
	APPENDS = 16,            /* RWF_APPEND */
};

/* Structures of the user interface, which are the same in all kernels. */
struct iovec_user {
	uint64_t base, size;
};

static __always_inline void fill_aio(struct bpf_record_aio *record, uint32_t step, uint32_t api,
				     uint64_t queue)
{
	*record = (struct bpf_record_aio){
		.head = {.kind = BPF_RECORD_AIO, .size = sizeof(*record)},
		.step = step,
		.api = api,
		.fd = AIO_FD_NONE,
		.index = -1,
		.queue = queue,
		.offset = AIO_UNKNOWN,
		.bytes = AIO_UNKNOWN,
	};
}

/* Begins the record of a step without parts. The caller checks out->head for space, and completes it. */
static __always_inline struct bpf_record_aio *begin_aio(struct outgoing *out, uint32_t step,
							uint32_t api, uint64_t queue)
{
	struct bpf_record_aio *record;

	record = begin_sample(out, bpf_get_current_task_btf(), sizeof(*record));
	if (out->head)
		fill_aio(record, step, api, queue);
	return record;
}

static __always_inline void end_aio(const struct outgoing *out)
{
	count(&out->book->requests);
	end_sample(out);
}

/* Returns the sum of the sizes, or AIO_UNKNOWN. */
static __always_inline uint64_t iovecs_size(uint64_t address, uint64_t count)
{
	struct iovec_user iovec;
	uint64_t sum = 0;

	if (count > IOVECS_MOST)
		return AIO_UNKNOWN;
	/*
	 * A compiler that knows the bound of count removes the bound of the loop, and then the verifier does not see that it
	 * ends.
	 */
	asm volatile("" : "+r"(count));
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
