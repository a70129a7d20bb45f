/*
 * bpf_function: functions of the kernel that BPF programs call, and that are no helpers.
 *
 * Their numbers are those of their types, which differ from kernel to kernel. The programs call them by the numbers here, which no
 * helper has, and bpf_bind.h puts the kernel's in their place.
 *
 * Plain C, for the BPF target as well.
 */
#pragma once

#define BPF_EACH_FUNCTION(X)                                                                       \
	X(bpf_rdonly_cast)                                                                         \
	X(bpf_preempt_disable)                                                                     \
	X(bpf_preempt_enable)

#define BPF_FUNCTION_NUMBER(name) BPF_FUNCTION_##name,
enum bpf_function {
	BPF_FUNCTION_BEFORE_FIRST = 0x696f0000,
	BPF_EACH_FUNCTION(BPF_FUNCTION_NUMBER) BPF_FUNCTION_END,
};
#undef BPF_FUNCTION_NUMBER
