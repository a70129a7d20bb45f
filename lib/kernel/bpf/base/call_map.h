/* call_map: the traced tasks, with the call that each is in. Several objects share this map. */
#pragma once

#include "bpf/base/kernel.h"
#include "load/bpf_shared.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct bpf_call);
} calls SEC(".maps");

#define FAULT_IS_CLOSED (~0ULL)

/* A call of the thread ends: what a later one reads is not read for a fault of this one. */
static __always_inline void close_fault(struct bpf_fault *fault)
{
	if (fault->mapping)
		fault->call = FAULT_IS_CLOSED;
}
