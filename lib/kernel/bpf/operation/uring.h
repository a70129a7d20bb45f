/*
 * uring: requests of io_uring as operations.
 *
 * A request gets its file when it is issued: most of them at once, so that it is that of their descriptor. The end of the others has it, in
 * whatever task that is. A request whose descriptor leads to no file fails, and its ring stands for the file.
 */
#pragma once

#include "bpf/operation/async.h"
#include "bpf/span/uring.h"

enum { CANCELLED = -125 }; /* ECANCELED */

/* The threads that the kernel creates for rings have names of their own, and are followed if their process is. */
static __always_inline bool is_of_followed_process(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_struct *leader = task->group_leader;

	if (spec.has_user && (uint32_t)bpf_get_current_uid_gid() != spec.user)
		return false;
	if (spec.has_choice && !((is_chosen_name(task->comm) || is_chosen_name(leader->comm)) &&
				 has_chosen_user() && is_in_chosen_cgroup()))
		return false;
	return spec.is_system ? !is_own(task->tgid)
			      : bpf_task_storage_get(&calls, leader, NULL, 0) != NULL;
}

/* It waits for others, or for a worker, or has a file of its ring. */
static __always_inline bool is_late(struct io_kiocb *request)
{
	uint64_t flags = PEEK(request, flags);
	struct io_ring_ctx *ring = PEEK(request, ctx);

	return flags & (SQE_DRAIN | SQE_ASYNC | SQE_FIXED_FILE) ||
	       PEEK(ring, submit_state.link.head);
}

/* Returns 0 if only its end shows its file. */
static __always_inline uint64_t group_of_submitted(struct io_kiocb *request, uint32_t mode)
{
	struct file *file;

	if (!spec.chunks)
		return 1 + (uint64_t)plain_group(mode);
	if (is_late(request))
		return 0;
	file = file_of(bpf_get_current_task_btf(), PEEK(request, cqe.fd));
	return file ? 1 + (uint64_t)file_number((uint64_t)file, bpf_get_current_task(), true) : 0;
}

/* Not inlined, so that it shares the stack with what finds the name of a file. */
static __noinline int put_request(struct io_kiocb *request, uint64_t group, uint32_t what)
{
	const uint64_t task = bpf_get_current_pid_tgid();
	const bool is_silent = PEEK(request, flags) & SQE_SKIP;
	const struct bpf_span_open new = {.begin = bpf_ktime_get_ns(),
					  .group = group,
					  .pid = task >> 32,
					  .tid = task,
					  .moves = ((what - 1) & ASYNC_MODE) |
						   (is_silent ? ASYNC_SILENT : 0)};
	struct async_key key = {0, (uint64_t)request};
	struct bpf_span_books *books = books_of_cpu();

	if (what & ASYNC_REPEATS)
		key = (struct async_key){(uint64_t)PEEK(request, ctx),
					 PEEK(request, cqe.user_data)};
	if (books)
		begin_async(&key, &new, books);
	return 0;
}

static __always_inline int submit_uring(struct io_kiocb *request)
{
	uint32_t what = about_async(AIO_URING, PEEK(request, opcode));

	if (what && is_on && is_of_followed_process())
		put_request(request, group_of_submitted(request, (what - 1) & ASYNC_MODE), what);
	return 0;
}

/* Returns the group of the file that it had, and 1; 0: it had none. A worker of the kernel sees other paths than the program. */
static __always_inline uint64_t group_of_ended(struct io_kiocb *request)
{
	uint64_t file = request ? PEEK_NUMBER(request, file) : 0;
	struct task_struct *task = file ? task_of_request(request) : NULL;

	if (request && !file)
		return 1 + BPF_SPAN_RING;
	return task ? 1 + (uint64_t)file_number(file, PEEK_NUMBER(task, group_leader), true) : 0;
}

static __always_inline int end_submitted(void *ring, struct io_kiocb *request, uint64_t user_data,
					 int result, uint32_t flags)
{
	struct async_key key = {0, (uint64_t)request};
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open;
	uint64_t group;

	if (!books)
		return 0;
	open = request ? bpf_map_lookup_elem(&open_async, &key) : NULL;
	if (!open) {
		key = (struct async_key){(uint64_t)ring, user_data};
		open = bpf_map_lookup_elem(&open_async, &key);
	}
	if (!open)
		return 0;
	if (flags & CQE_MORE) {
		open->bytes += result > 0 ? result : 0;
		return 0;
	}
	group = open->group;
	if (spec.chunks && !group)
		group = group_of_ended(request);
	if (result == CANCELLED)
		drop_async(&key, open, &books->cancelled, 1);
	else
		end_async(&key, open, group, result, books);
	return 0;
}

SEC("raw_tp/io_uring_submit_req")
int BPF_PROG(operation_taken, struct io_kiocb *request)
{
	return submit_uring(request);
}

/* The name of the tracepoint before Linux 6.4. */
SEC("raw_tp/io_uring_submit_sqe")
int BPF_PROG(operation_taken_sqe, struct io_kiocb *request, bool is_nonblocking)
{
	return submit_uring(request);
}

SEC("raw_tp/io_uring_complete")
int BPF_PROG(operation_ends, void *ring, struct io_kiocb *request, struct io_uring_cqe *cqe)
{
	return end_submitted(ring, request, PEEK(cqe, user_data), PEEK(cqe, res), PEEK(cqe, flags));
}

/* The arguments of the tracepoint before Linux 6.11. */
SEC("raw_tp/io_uring_complete")
int BPF_PROG(operation_ends_values, void *ring, struct io_kiocb *request, uint64_t user_data,
	     int result, unsigned int flags, uint64_t extra1, uint64_t extra2)
{
	return end_submitted(ring, request, user_data, result, flags);
}
