/*
 * uring: the bytes of requests of io_uring, which the calls that submit them do not say. They count when a request ends. Their call is
 * io_uring_enter.
 *
 * Without spec.has_async, no program is loaded.
 */
#pragma once

#include "bpf/block/block.h"
#include "bpf/request/uring.h"
#include "bpf/span/iocb.h"

enum { URING_ENTER = 426 };

typedef struct {
	uint32_t val;
} KERNEL kuid_t;

struct cred {
	kuid_t uid;
} KERNEL;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL;

struct task_struct___owner {
	struct cred *cred;
	struct css_set *cgroups;
} KERNEL;

static __always_inline bool uring_reads(uint8_t opcode)
{
	return opcode == OP_READ || opcode == OP_READV || opcode == OP_READ_FIXED ||
	       opcode == OP_READV_FIXED || opcode == OP_READ_MULTISHOT;
}

static __always_inline bool uring_writes(uint8_t opcode)
{
	return opcode == OP_WRITE || opcode == OP_WRITEV || opcode == OP_WRITE_FIXED ||
	       opcode == OP_WRITEV_FIXED;
}

/* The request may end in another task than the one that submitted it. */
static __always_inline struct task_struct *task_of_request(struct io_kiocb *request)
{
	return bpf_core_field_exists(request->tctx) ? PEEK(PEEK(request, tctx), task)
						    : PEEK(request, task);
}

static __always_inline uint32_t user_of(struct task_struct *task)
{
	return PEEK(PEEK((struct task_struct___owner *)task, cred), uid.val);
}

static __always_inline uint64_t cgroup_of(struct task_struct *task)
{
	struct css_set *set = PEEK((struct task_struct___owner *)task, cgroups);
	struct cgroup *cgroup = PEEK(set, dfl_cgrp);

	return PEEK(PEEK(cgroup, kn), id);
}

static __always_inline uint64_t group_of_request(struct io_kiocb *request, struct task_struct *task)
{
	if (spec.owner == BPF_SPAN_OF_FILE_SYSTEM)
		return device_of_inode(PEEK(PEEK(request, file), f_inode));
	if (spec.by_mode)
		return uring_writes(PEEK(request, opcode)) ? BPF_SPAN_OP_WRITE : BPF_SPAN_OP_READ;
	switch (spec.point[BPF_SPAN_BEGIN].field[BPF_SPAN_GROUP].at) {
	case BPF_SPAN_PID:
		return PEEK(task, tgid);
	case BPF_SPAN_TID:
		return PEEK(task, pid);
	case BPF_SPAN_UID:
		return user_of(task);
	case BPF_SPAN_CGROUP:
		return cgroup_of(task);
	default:
		return spec.owner == BPF_SPAN_OF_OPERATION ? 0 : URING_ENTER;
	}
}

/* A request ends in a task of the process that submitted it: in this one, in a worker, or in the thread of the ring. */
static __always_inline bool is_of_followed(struct task_struct *task)
{
	struct task_struct *leader;

	if (spec.is_system)
		return !is_own(PEEK(task, tgid));
	leader = bpf_get_current_task_btf()->group_leader;
	return leader->tgid == PEEK(task, tgid) && bpf_task_storage_get(&calls, leader, NULL, 0);
}

static __always_inline bool is_chosen_request(struct task_struct *task)
{
	char name[sizeof(task->comm)];

	if (spec.has_user && user_of(task) != spec.user)
		return false;
	if (!spec.has_choice)
		return true;
	bpf_core_read(name, sizeof(name), &task->comm);
	return is_chosen_name(name) && is_chosen_user(user_of(task)) && is_in_chosen_cgroup();
}

/* Returns the task that has submitted a request that has ended; NULL: its bytes do not count. */
static __always_inline struct task_struct *task_of_end(struct io_kiocb *request, int result)
{
	struct task_struct *task = request ? task_of_request(request) : NULL;

	return result > 0 && task && books_of_cpu() && is_of_followed(task) &&
			       is_chosen_request(task)
		       ? task
		       : NULL;
}

static __always_inline void credit_end(struct io_kiocb *request, int result, uint64_t group)
{
	uint8_t opcode = PEEK(request, opcode);

	credit(group, uring_reads(opcode) ? result : 0, uring_writes(opcode) ? result : 0);
}

static __always_inline int end_uring(struct io_kiocb *request, int result)
{
	struct task_struct *task = task_of_end(request, result);

	if (task)
		credit_end(request, result, group_of_request(request, task));
	return 0;
}

SEC("raw_tp/io_uring_complete")
int BPF_PROG(uring_ends, void *ring, struct io_kiocb *request, struct io_uring_cqe *cqe)
{
	return end_uring(request, PEEK(cqe, res));
}

/* The arguments of the tracepoint before Linux 6.11. */
SEC("raw_tp/io_uring_complete")
int BPF_PROG(uring_ends_values, void *ring, struct io_kiocb *request, uint64_t user_data,
	     int result, unsigned int flags, uint64_t extra1, uint64_t extra2)
{
	return end_uring(request, result);
}
