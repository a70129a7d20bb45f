/*
 * iocb: the bytes of iocbs, which io_submit does not say. They count for the group of the call, when io_getevents returns their
 * events.
 *
 * Without spec.has_async, the kernel's verifier removes all of this.
 */
#pragma once

#include "bpf/base/loop.h"
#include "bpf/request/iocb_user.h"

enum { EVENTS_MOST = TURNS_MOST };

static __always_inline void credit(uint64_t group, uint64_t read, uint64_t written)
{
	struct bpf_span_flight *flight = read || written ? flight_at(flight_of(group)) : NULL;

	if (!flight)
		return;
	__sync_fetch_and_add(&flight->read, read);
	__sync_fetch_and_add(&flight->written, written);
}

struct reaped {
	uint64_t events, read, written;
	uint32_t count;
};

static __always_inline bool iocb_reads(uint32_t opcode)
{
	return opcode == IOCB_PREAD || opcode == IOCB_PREADV;
}

static __always_inline bool iocb_writes(uint32_t opcode)
{
	return opcode == IOCB_PWRITE || opcode == IOCB_PWRITEV;
}

/* The program has not seen the event yet, so its iocb is still there. */
static long reap_one(TURN(struct reaped *reaped))
{
	struct event_user event;
	struct iocb_user iocb;
	uint64_t read, written;

	if (TURN_NUMBER >= reaped->count ||
	    bpf_probe_read_user(&event, sizeof(event),
				(void *)(reaped->events + TURN_NUMBER * sizeof(event))))
		return 1;
	if (event.result <= 0 || bpf_probe_read_user(&iocb, sizeof(iocb), (void *)event.iocb))
		return 0;
	read = iocb_reads(iocb.opcode) ? event.result : 0;
	written = iocb_writes(iocb.opcode) ? event.result : 0;
	if (spec.owner == BPF_SPAN_OF_FILE_SYSTEM) {
		credit(file_system_of(iocb.fd), read, written);
	} else {
		reaped->read += read;
		reaped->written += written;
	}
	return 0;
}

static __always_inline bool does_reap(uint64_t call)
{
	return call < BPF_SPAN_VALUES && about[call] & BPF_SPAN_REAPS;
}

/* io_getevents(queue, least, most, events, ...) returns. */
static __always_inline void reap(struct pt_regs *regs, long call, int64_t result)
{
	const struct input input = {.point = &spec.point[BPF_SPAN_BEGIN],
				    .regs = regs,
				    .result = result,
				    .task = bpf_get_current_pid_tgid(),
				    .call = call};
	struct reaped reaped = {0};

	if (result <= 0 || !books_of_cpu() || !is_chosen() || !is_followed(&input))
		return;
	reaped.events = argument_of(regs, 3);
	reaped.count = result > EVENTS_MOST ? EVENTS_MOST : result;
	REPEAT(reaped.count, reap_one, &reaped);
	if (spec.owner != BPF_SPAN_OF_FILE_SYSTEM)
		credit(VALUE(&input, BPF_SPAN_GROUP), reaped.read, reaped.written);
}
