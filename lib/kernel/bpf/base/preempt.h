/*
 * preempt: since Linux 7.0, another task may run on the CPU before a program at a tracepoint has ended.
 *
 * So data that programs share on a CPU is used with preemption disabled, or by one instruction. Before Linux 7.0, only interrupts
 * can come between, and their programs use other data.
 */
#pragma once

#include "feature/bpf_function.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

const volatile bool is_preemptible;

/* For kernels before 6.10, which lack these functions: their programs are not preemptible. */
#ifdef BPF_PLAIN
#define bpf_preempt_disable()
#define bpf_preempt_enable()
#else
static void (*const bpf_preempt_disable)(void) = (void *)BPF_FUNCTION_bpf_preempt_disable;
static void (*const bpf_preempt_enable)(void) = (void *)BPF_FUNCTION_bpf_preempt_enable;
#endif

static __always_inline void stay(void)
{
	if (is_preemptible)
		bpf_preempt_disable();
}

static __always_inline void let_go(void)
{
	if (is_preemptible)
		bpf_preempt_enable();
}
