/* moved: the bytes of asynchronous requests, which count for their operations when they end: see iocb.h and uring.h. */
#pragma once

#include "bpf/operation/group.h"
#include "bpf/span/uring.h"

/* The program has not seen the event yet, so its iocb is still there. */
static long reap_one_of_file(TURN(struct reaped *reaped))
{
	const struct event_user *at = (void *)reaped->events;
	struct {
		uint64_t iocb; /* as in struct event_user */
		int64_t result;
	} event;
	const struct iocb_user *from;
	struct file *file;
	uint16_t opcode = 0;
	int32_t fd = -1;

	if (TURN_NUMBER >= reaped->count ||
	    bpf_probe_read_user(&event, sizeof(event), &at[TURN_NUMBER].iocb))
		return 1;
	from = (void *)event.iocb;
	bpf_probe_read_user(&opcode, sizeof(opcode), &from->opcode);
	bpf_probe_read_user(&fd, sizeof(fd), &from->fd);
	if (event.result <= 0 || (!iocb_reads(opcode) && !iocb_writes(opcode)))
		return 0;
	file = file_of(bpf_get_current_task_btf(), fd);
	if (file)
		credit(spec.chunks ? file_number((uint64_t)file, bpf_get_current_task(), true)
				   : plain_group(iocb_reads(opcode) ? BPF_SPAN_OP_READ
								    : BPF_SPAN_OP_WRITE),
		       iocb_reads(opcode) ? event.result : 0,
		       iocb_writes(opcode) ? event.result : 0);
	return 0;
}

static __noinline int reap_of_files(struct pt_regs *regs, int64_t result)
{
	const struct input input = {.task = bpf_get_current_pid_tgid()};
	struct reaped reaped = {0};

	if (result <= 0 || !books_of_cpu() || !is_chosen() || !is_followed(&input))
		return 0;
	reaped.events = argument_of(regs, 3);
	reaped.count = result > EVENTS_MOST ? EVENTS_MOST : result;
	REPEAT(reaped.count, reap_one_of_file, &reaped);
	return 0;
}

static __always_inline int end_uring_of_file(struct io_kiocb *request, int result)
{
	struct task_struct *task = task_of_end(request, result);
	uint8_t opcode = task ? PEEK(request, opcode) : 0;

	if (task && (uring_reads(opcode) || uring_writes(opcode)))
		credit_end(request, result,
			   file_number(PEEK_NUMBER(request, file), PEEK_NUMBER(task, group_leader),
				       true));
	return 0;
}

SEC("raw_tp/io_uring_complete")
int BPF_PROG(file_uring_ends, void *ring, struct io_kiocb *request, struct io_uring_cqe *cqe)
{
	return end_uring_of_file(request, PEEK(cqe, res));
}

/* The arguments of the tracepoint before Linux 6.11. */
SEC("raw_tp/io_uring_complete")
int BPF_PROG(file_uring_ends_values, void *ring, struct io_kiocb *request, uint64_t user_data,
	     int result, unsigned int flags, uint64_t extra1, uint64_t extra2)
{
	return end_uring_of_file(request, result);
}
