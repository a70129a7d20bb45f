/*
 * call: operations of calls on files, at the two tracepoints of all calls. They have programs of their own, because what finds the name
 * of a file needs half of the stack that a program may use. So what looks at files, and what begins and ends spans, are functions beside
 * each other.
 *
 * A call on a descriptor without a file is no operation, and one that copies is two.
 */
#pragma once

#include "bpf/operation/fault.h"
#include "bpf/operation/iocb_end.h"
#include "bpf/operation/moved.h"
#include "bpf/operation/uring.h"

/* Returns the group of an operation on the file of an argument, and 1; 0: there is no file. */
static __always_inline uint64_t group_at(struct pt_regs *regs, uint32_t at, uint32_t mode)
{
	return at < BPF_SPAN_FD_NONE ? group_on(file_of(bpf_get_current_task_btf(),
							(int32_t)argument_of(regs, at)),
						mode)
				     : 0;
}

static __noinline uint64_t second_at(struct pt_regs *regs, uint32_t at)
{
	return group_at(regs, at, BPF_SPAN_OP_WRITE);
}

/* sync() is an operation without a file. */
static __noinline uint64_t group_of_all(void)
{
	return 1 + (uint64_t)(spec.chunks ? nameless_number(0, 0) : plain_group(BPF_SPAN_OP_FLUSH));
}

/* Most of the others have no storage at all. begin_of() looks closer. */
static __always_inline bool may_be_followed(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return spec.is_system ? !is_own(task->tgid) : task->bpf_storage != NULL;
}

/* Returns the groups of the call's operations, as begin_of() takes them: the second one in the upper half. 0: there are none. */
static __always_inline uint64_t groups_of_call(struct pt_regs *regs, uint64_t call)
{
	uint32_t operation = operation_of(call);
	uint64_t first, second;

	if (call >= BPF_SPAN_VALUES || !is_on || !is_chosen() || !may_be_followed())
		return 0;
	if (operation == BPF_SPAN_OP_FLUSH_ALL)
		return group_of_all();
	first = group_at(regs, fd_of[call],
			 operation == BPF_SPAN_OP_COPY ? BPF_SPAN_OP_READ : operation);
	if (fd2_of[call] >= BPF_SPAN_FD_NONE)
		return first;
	second = second_at(regs, fd2_of[call]);
	return first ? first | second << BPF_SPAN_OWNER_SHIFT : second;
}

static __noinline int begin_on_files(struct pt_regs *regs, long call, uint64_t groups)
{
	const struct input input = input_of(regs, BPF_SPAN_BEGIN, call, 0);
	struct bpf_span_books *books = books_of_cpu();

	if (books)
		begin_of(&input, groups, books);
	return 0;
}

static __noinline int end_on_files(struct pt_regs *regs, long call, uint64_t result)
{
	const struct input input = input_of(regs, BPF_SPAN_END, call, result);

	end(&input);
	return 0;
}

static __always_inline bool is_unwanted_call(uint64_t call, bool is_compat)
{
	return call >= BPF_SPAN_VALUES || about[call] & BPF_SPAN_UNWANTED || is_compat;
}

SEC("tp_btf/sys_enter")
int file_at_call(void *context)
{
	struct pt_regs *regs = regs_at_call(context);
	long call = number_at_call(context);
	bool is_compat = COMPAT_OF(bpf_get_current_task_btf());
	uint64_t groups = is_unwanted_call(call, is_compat) ? 0 : groups_of_call(regs, call);

	if (is_noted(call, is_compat))
		note_foreign(books_of_cpu());
	if (spec.has_async_operations && operation_of(call) == BPF_SPAN_OP_SUBMIT)
		submit_iocbs(regs);
	if (groups)
		begin_on_files(regs, call, groups);
	return PASS_ON;
}

SEC("tp_btf/sys_exit")
int file_at_return(void *context)
{
	struct pt_regs *regs = regs_at_call(context);
	int64_t result = result_at_return(context);
	long call = regs->NUMBER_OF_CALL;

	if (spec.has_async && does_reap(call))
		reap_of_files(regs, result);
	else if (spec.has_async_operations && is_of_iocbs(call))
		return_to_iocbs(regs, call, result);
	else if (!is_unwanted_call(call, COMPAT_OF(bpf_get_current_task_btf())))
		end_on_files(regs, call, result);
	return PASS_ON;
}
