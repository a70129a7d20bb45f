/*
 * bpf_preempt: kernels that let a task be preempted in a BPF program: see bpf/base/preempt.h and bpf/base/at_call.h.
 */
#pragma once

#include <stdbool.h>

struct bpf_link;
struct bpf_program;

/* Returns whether programs at tracepoints can be preempted: since Linux 7.0. */
bool bpf_preempt_is_possible(void);
/* For tests: from now on it is taken to be possible. */
void bpf_preempt_pretend(bool is_possible);
/* Attaches a program to raw_syscalls:NAME by a perf event, so that it is not preempted. Returns a link, which the caller owns, or NULL with
 * errno. */
struct bpf_link *bpf_preempt_attach(const struct bpf_program *program, const char *name);
