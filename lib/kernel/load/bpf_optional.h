/*
 * bpf_optional: the BPF programs that a recording can do without: for requests of io_uring, page faults and writeback of mapped files, and
 * what the arguments of calls do not say.
 *
 * Their tracepoints change from kernel to kernel. Where the programs do not fit, calls are recorded all the same.
 */
#ifndef KERNEL_BPF_OPTIONAL_H
#define KERNEL_BPF_OPTIONAL_H

#include <stdint.h>

struct iotrace_bpf;

/* Before the programs are loaded: of these only those of the groups (1 << GROUP_*) are. Returns the groups that have any. */
uint32_t bpf_optional_choose(struct iotrace_bpf *programs, uint32_t groups);
/* Attaches what was loaded of these groups. Returns the groups of which something does not fit this kernel, which are left out. */
uint32_t bpf_optional_attach(struct iotrace_bpf *programs, uint32_t groups);
void bpf_optional_detach(struct iotrace_bpf *programs);

#endif
