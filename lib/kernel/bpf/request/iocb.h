/*
 * iocb: the iocbs of io_submit.
 *
 * They have no tracepoint. They are read when io_submit begins, and again if it has accepted fewer than it was given.
 * io_getevents returns their ends.
 */
#pragma once

#include "aio.h"
#include "bpf/base/calls.h"
#include "bpf/base/loop.h"
#include "iocb_user.h"

/* An array of iocbs or events in the program's memory. */
struct batch {
	uint64_t queue, address;
	uint32_t first, count, step;
};

static long put_iocb(TURN(struct batch *batch))
{
	struct bpf_record_aio *aio;
	struct outgoing out;
	struct iocb_user iocb;
	uint64_t address;

	if (TURN_NUMBER >= batch->count ||
	    bpf_probe_read_user(&address, sizeof(address),
				(void *)(batch->address +
					 (batch->first + TURN_NUMBER) * sizeof(address))) ||
	    bpf_probe_read_user(&iocb, sizeof(iocb), (void *)address))
		return 1;
	aio = begin_aio(&out, batch->step, AIO_LIBAIO, batch->queue);
	if (!out.head)
		return 0;
	aio->key = address;
	aio->user_data = iocb.data;
	aio->opcode = iocb.opcode;
	aio->fd = iocb.fd;
	if (!(iocb.rw_flags & APPENDS))
		aio->offset = iocb.offset;
	aio->bytes = iocb.opcode == IOCB_PREADV || iocb.opcode == IOCB_PWRITEV
			     ? iovecs_size(iocb.buffer, iocb.bytes)
			     : iocb.bytes;
	end_aio(&out);
	return 0;
}

static long put_event(TURN(struct batch *batch))
{
	struct bpf_record_aio *aio;
	struct event_user event;
	struct outgoing out;

	if (TURN_NUMBER >= batch->count ||
	    bpf_probe_read_user(&event, sizeof(event),
				(void *)(batch->address + TURN_NUMBER * sizeof(event))))
		return 1;
	aio = begin_aio(&out, AIO_COMPLETE, AIO_LIBAIO, batch->queue);
	if (!out.head)
		return 0;
	aio->key = event.iocb;
	aio->user_data = event.data;
	aio->result = event.result;
	end_aio(&out);
	return 0;
}

static __always_inline uint32_t at_most(int64_t count)
{
	return count < 0 ? 0 : count > REQUESTS_MOST ? REQUESTS_MOST : count;
}

/* io_submit(queue, count, iocbs): after the first `taken`, iocbs were not accepted. */
static __always_inline void put_iocbs(const struct bpf_call *call, uint32_t step, uint32_t taken)
{
	uint32_t all = at_most(call->arg[1]);
	struct batch batch = {call->arg[0], call->arg[2], taken, all - taken, step};

	if (taken < all)
		REPEAT(batch.count, put_iocb, &batch);
}

/* The arguments of io_getevents: queue, least, most, events, ... */
static __always_inline void put_events(const struct bpf_call *call, int64_t result)
{
	struct batch batch = {call->arg[0], call->arg[3], 0, at_most(result), AIO_COMPLETE};

	REPEAT(batch.count, put_event, &batch);
}

/* The argument of io_destroy is the queue. */
static __always_inline void put_queue_end(const struct bpf_call *call)
{
	struct outgoing out;

	begin_aio(&out, AIO_END, AIO_LIBAIO, call->arg[0]);
	if (out.head)
		end_aio(&out);
}

/*
 * Handles the calls of libaio. Not static, so that the verifier checks this function once, and not for each path that leads here.
 */
__noinline int aio_call_begins(struct bpf_call *call)
{
	if (call)
		put_iocbs(call, AIO_SUBMIT, 0);
	return 0;
}

__noinline int aio_call_ends(struct bpf_call *call, uint32_t flags, int64_t result)
{
	if (!call)
		return 0;
	if (flags & BPF_CALL_SUBMITS)
		put_iocbs(call, AIO_REFUSE, at_most(result));
	else if (flags & BPF_CALL_REAPS)
		put_events(call, result);
	else if (!result)
		put_queue_end(call);
	return 0;
}
