/*
 * bpf_plain: a second build of the BPF programs, for kernels that lack functions which the first build calls.
 *
 * The programs of NAME.skel.h call bpf_rdonly_cast() (since Linux 6.2) and, where programs can be preempted, bpf_preempt_disable()
 * (since Linux 6.10): see bpf_function.h. Those of NAME_plain.skel.h call only helpers, and only helpers of Linux 5.15 unless a
 * constant says that the kernel has more. They are used before Linux 6.2, and if the kernel's types cannot be read (bpf_types.h).
 * Both skeletons are alike.
 */
#pragma once

#include <bpf/libbpf.h>

/* Opens the object `elf`, which is lent, through the skeleton of the other build. Returns 0 or -errno. */
int bpf_plain_open(struct bpf_object_skeleton *skeleton, const void *elf, size_t size,
		   const struct bpf_object_open_opts *options);
