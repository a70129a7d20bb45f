/*
 * bpf_enum: numbers that the kernel has names for, and that BPF programs are given.
 *
 * The programs could ask for them by themselves; but where the enumeration has another name, or none yet, libbpf looks for it
 * in all modules, which takes more rights than the programs do.
 */
#ifndef IOTRACE_KERNEL_BPF_ENUM_H
#define IOTRACE_KERNEL_BPF_ENUM_H

#include <stdint.h>

/* An enumerator, and the enumerations that it may stand in; NULL ends them. */
struct bpf_enumerator {
	const char *name;
	const char *enumeration[3];
};

/* Returns its number in the running kernel; `otherwise` if there is none. */
uint32_t bpf_enum_number(const struct bpf_enumerator *enumerator, uint32_t otherwise);

#endif
