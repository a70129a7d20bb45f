/*
 * at_file: calls by their files, at the two tracepoints of all calls. They have programs of their own, because what finds the name of
 * a file needs half of the stack that a program may use. So what looks at files, and what begins and ends spans, are functions beside each
 * other.
 *
 * A call that copies is of two files.
 */
#pragma once

#include "bpf/span/async_file.h"

static __always_inline struct input input_of(struct pt_regs *regs, uint32_t point, long call,
					     uint64_t result)
{
	return (struct input){.point = &spec.point[point],
			      .regs = regs,
			      .result = result,
			      .task = bpf_get_current_pid_tgid(),
			      .call = call};
}

/* Returns the number of the file and 1; 0: there is no file. */
static __always_inline uint64_t file_at(struct pt_regs *regs, uint32_t at)
{
	struct file *file = at < BPF_SPAN_FD_NONE ? file_of(bpf_get_current_task_btf(),
							    (int32_t)argument_of(regs, at))
						  : NULL;

	return file ? (uint64_t)own_file_number((uint64_t)file) + 1 : 0;
}

static __noinline uint64_t second_at(struct pt_regs *regs, uint32_t at)
{
	return file_at(regs, at);
}

/* Most of the others have no storage at all. begin_of() looks closer. */
static __always_inline bool may_be_followed(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return spec.is_system ? !is_own(task->tgid) : task->bpf_storage != NULL;
}

/* Returns the files of the call, as begin_of() takes them: in the upper half that which it copies to. 0: it counts for none. */
static __always_inline uint64_t files_of_call(struct pt_regs *regs, uint64_t call)
{
	uint64_t first, second;

	if (call >= BPF_SPAN_VALUES || !is_on || !is_chosen() || !may_be_followed())
		return 0;
	first = file_at(regs, fd_of[call]);
	if (fd2_of[call] >= BPF_SPAN_FD_NONE)
		return first;
	second = second_at(regs, fd2_of[call]);
	return first ? first | second << BPF_SPAN_OWNER_SHIFT : second;
}

static __noinline int begin_on_files(struct pt_regs *regs, long call, uint64_t files)
{
	const struct input input = input_of(regs, BPF_SPAN_BEGIN, call, 0);
	struct bpf_span_books *books = books_of_cpu();

	if (books)
		begin_of(&input, files, books);
	return 0;
}

static __noinline int end_on_files(struct pt_regs *regs, long call, uint64_t result)
{
	const struct input input = input_of(regs, BPF_SPAN_END, call, result);

	end(&input);
	return 0;
}

static __always_inline bool is_unwanted_call(uint64_t call)
{
	return call >= BPF_SPAN_VALUES || about[call] & BPF_SPAN_UNWANTED ||
	       COMPAT_OF(bpf_get_current_task_btf());
}

SEC("tp_btf/sys_enter")
int BPF_PROG(file_at_call, struct pt_regs *regs, long call)
{
	uint64_t files = is_unwanted_call(call) ? 0 : files_of_call(regs, call);

	if (files)
		begin_on_files(regs, call, files);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(file_at_return, struct pt_regs *regs, long result)
{
	long call = regs->NUMBER_OF_CALL;

	if (spec.has_async && does_reap(call))
		reap_of_files(regs, result);
	else if (!is_unwanted_call(call))
		end_on_files(regs, call, result);
	return 0;
}
