/*
 * iocb_end: the ends of iocbs, when io_getevents returns their events. The end of their queue or of their process ends the others, and
 * requests of io_uring whose end is not reported; nobody knows when these ended. Those that io_submit has not accepted never began.
 */
#pragma once

#include "bpf/operation/iocb.h"

static long refuse_iocb(TURN(struct iocbs *iocbs))
{
	uint64_t address = iocb_at(iocbs, TURN_NUMBER);
	struct async_key key = key_of_iocb(address);
	struct bpf_span_books *books = books_of_cpu();
	const struct bpf_span_open *open;

	if (!address || !books)
		return 1;
	open = bpf_map_lookup_elem(&open_async, &key);
	if (open)
		drop_async(&key, open, &books->begun, -1);
	return 0;
}

static long end_iocb(TURN(struct iocbs *iocbs))
{
	const struct event_user *at = (void *)iocbs->address;
	struct bpf_span_books *books = books_of_cpu();
	struct {
		uint64_t iocb; /* as in struct event_user */
		int64_t result;
	} event;
	const struct bpf_span_open *open;
	struct async_key key;

	if (TURN_NUMBER >= iocbs->count || !books ||
	    bpf_probe_read_user(&event, sizeof(event), &at[TURN_NUMBER].iocb))
		return 1;
	key = key_of_iocb(event.iocb);
	open = bpf_map_lookup_elem(&open_async, &key);
	if (open)
		end_async(&key, open, open->group, event.result, books);
	return 0;
}

/* Those of a process; queue: 0: of any. */
struct ending {
	uint64_t pid, queue;
};

static long end_one_of(struct bpf_map *map, const struct async_key *key,
		       const struct bpf_span_open *open, const struct ending *ending)
{
	struct bpf_span_books *books = books_of_cpu();
	const struct async_key copy = *key;

	if (books && open->moves & ASYNC_UNREPORTED && open->pid == ending->pid &&
	    (!ending->queue || (open->moves & ASYNC_IOCB && open->left == ending->queue)))
		drop_async(&copy, open, &books->unreported, 1);
	return 0;
}

/* Not inlined: a compiler might make one call of those for two maps, which Linux 6.1 refuses. */
static __noinline int end_silent_of(uint64_t pid, uint64_t queue)
{
	struct ending ending = {pid, queue};

	if (*(volatile uint64_t *)&open_silent)
		bpf_for_each_map_elem(&open_async, end_one_of, &ending, 0);
	return 0;
}

static __always_inline bool is_of_iocbs(uint64_t call)
{
	uint32_t operation = operation_of(call);

	return operation == BPF_SPAN_OP_SUBMIT || operation == BPF_SPAN_OP_END_QUEUE ||
	       does_reap(call);
}

static __noinline int return_to_iocbs(struct pt_regs *regs, uint64_t call, int64_t result)
{
	uint64_t pid = bpf_get_current_pid_tgid() >> 32;
	struct iocbs iocbs = {.queue = argument_of(regs, 0)};

	if (!*(volatile uint64_t *)&open_silent || COMPAT_OF(bpf_get_current_task_btf()))
		return 0;
	if (does_reap(call)) {
		iocbs.count = iocbs_most(result);
		iocbs.address = argument_of(regs, 3);
		REPEAT(iocbs.count, end_iocb, &iocbs);
	} else if (operation_of(call) == BPF_SPAN_OP_SUBMIT) {
		iocbs.first = iocbs_most(result);
		iocbs.count = iocbs_most(argument_of(regs, 1));
		iocbs.address = argument_of(regs, 2);
		REPEAT(iocbs.count, refuse_iocb, &iocbs);
	} else if (!result) {
		end_silent_of(pid, iocbs.queue);
	}
	return 0;
}
