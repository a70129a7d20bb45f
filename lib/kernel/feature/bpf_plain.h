/*
 * bpf_plain: the BPF programs for kernels that lack a function which the others call by its name.
 *
 * libbpf looks for an unknown name in all modules, which needs CAP_SYS_ADMIN, even if the program could work without it. So the
 * same programs are there twice: those of NAME.skel.h call bpf_rdonly_cast() (since Linux 6.2) and, if it is there,
 * bpf_preempt_disable() (since Linux 6.10). Those of NAME_plain.skel.h call nothing but helpers, and those of Linux 5.15 only,
 * unless a constant says that the kernel has more: they run before Linux 6.2, and for users without CAP_SYS_ADMIN before Linux
 * 6.10. Their skeletons are alike.
 */
#pragma once

#include <bpf/libbpf.h>

/* Opens the object `elf`, which is lent, through the skeleton of its twin. Returns 0 or -errno. */
int bpf_plain_open(struct bpf_object_skeleton *skeleton, const void *elf, size_t size);
