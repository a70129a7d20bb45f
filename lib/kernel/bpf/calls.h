/*
 * calls: which tasks are traced, and the calls that they are in.
 */
#ifndef BPF_CALLS_H
#define BPF_CALLS_H

#include "sample.h"

const volatile bool is_system; /* all tasks but iotrace's own */
const volatile int own_tgid;

/* Set while the programs run. */
volatile bool is_on;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct bpf_call);
} calls SEC(".maps");

#endif
