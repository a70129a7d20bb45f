/* iocb: iocbs as operations. They have no tracepoint: they begin when io_submit begins. */
#pragma once

#include "bpf/operation/async.h"
#include "bpf/span/iocb.h"

/* An array of iocbs or of events in the program's memory. */
struct iocbs {
	uint64_t queue, address;
	uint32_t first, count;
};

/* Returns the address of an iocb, or 0. */
static __always_inline uint64_t iocb_at(const struct iocbs *iocbs, uint32_t turn)
{
	uint64_t address = 0;

	if (iocbs->first + turn >= iocbs->count ||
	    bpf_probe_read_user(&address, sizeof(address),
				(void *)(iocbs->address + (iocbs->first + turn) * sizeof(address))))
		return 0;
	return address;
}

static __always_inline struct async_key key_of_iocb(uint64_t address)
{
	return (struct async_key){bpf_get_current_pid_tgid() >> 32, address};
}

/* Not inlined, so that it shares the stack with what finds the name of a file. */
static __noinline int put_iocb(uint64_t queue, uint64_t address, uint64_t group, uint32_t moves)
{
	const uint64_t task = bpf_get_current_pid_tgid();
	const struct async_key key = key_of_iocb(address);
	const struct bpf_span_open new = {.begin = bpf_ktime_get_ns(),
					  .group = group,
					  .left = queue,
					  .pid = task >> 32,
					  .tid = task,
					  .moves = moves | ASYNC_IOCB};
	struct bpf_span_books *books = books_of_cpu();

	if (books)
		begin_async(&key, &new, books);
	return 0;
}

static long begin_iocb(TURN(struct iocbs *iocbs))
{
	uint64_t address = iocb_at(iocbs, TURN_NUMBER), group;
	const struct iocb_user *from = (void *)address;
	uint16_t opcode = 0;
	int32_t fd = -1;
	uint32_t what;

	if (!address)
		return 1;
	bpf_probe_read_user(&opcode, sizeof(opcode), &from->opcode);
	bpf_probe_read_user(&fd, sizeof(fd), &from->fd);
	what = about_async(AIO_LIBAIO, opcode);
	if (!what)
		return 0;
	group = group_on(file_of(bpf_get_current_task_btf(), fd), (what - 1) & ASYNC_MODE);
	if (group)
		put_iocb(iocbs->queue, address, group, (what - 1) & ASYNC_MODE);
	return 0;
}

static __always_inline uint32_t iocbs_most(int64_t count)
{
	return count < 0 ? 0 : count > EVENTS_MOST ? EVENTS_MOST : count;
}

/* io_submit(queue, count, iocbs) */
static __noinline int submit_iocbs(struct pt_regs *regs)
{
	const struct input input = {.task = bpf_get_current_pid_tgid()};
	struct iocbs iocbs = {0};

	if (!books_of_cpu() || COMPAT_OF(bpf_get_current_task_btf()) || !is_chosen() ||
	    !is_followed(&input))
		return 0;
	iocbs.queue = argument_of(regs, 0);
	iocbs.count = iocbs_most(argument_of(regs, 1));
	iocbs.address = argument_of(regs, 2);
	REPEAT(iocbs.count, begin_iocb, &iocbs);
	return 0;
}
