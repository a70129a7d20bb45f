/*
 * at_call: what the programs at the tracepoints of all system calls are given.
 *
 * Since Linux 7.0, a task may be preempted in a program. Until it runs again, the kernel runs this program for no other task on that CPU, and
 * their calls are missed. A program that a perf event runs is not preempted. So there, the programs at calls are of this kind: see
 * feature/bpf_preempt.h. They are given the fields of raw_syscalls:sys_enter and sys_exit instead of the arguments of the tracepoint.
 */
#pragma once

#include "preempt.h"

#include <bpf/bpf_helpers.h>

/* The context is read by one instruction with a constant offset, since the verifier allows no other. */
#define CONTEXT_WORD(context, offset)                                                              \
	({                                                                                         \
		uint64_t word;                                                                     \
                                                                                                   \
		asm volatile("%0 = *(u64 *)(%1 + " #offset ")" : "=r"(word) : "r"(context));       \
		word;                                                                              \
	})

static __always_inline struct pt_regs *regs_at_call(void *context)
{
	if (is_preemptible)
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return (struct pt_regs *)CONTEXT_WORD(context, 0);
}

/* Of sys_enter. */
static __always_inline long number_at_call(void *context)
{
	return CONTEXT_WORD(context, 8);
}

/* Of sys_exit. */
static __always_inline long result_at_return(void *context)
{
	return is_preemptible ? CONTEXT_WORD(context, 16) : CONTEXT_WORD(context, 8);
}

/* A program that a perf event runs returns this, so that all others at the tracepoint get the event, too. */
enum { PASS_ON = 1 };
