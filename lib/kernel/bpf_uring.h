/*
 * bpf_uring: the BPF programs for requests of io_uring.
 *
 * Its tracepoints change from kernel to kernel. Where the programs do not fit, calls are recorded all the same.
 */
#ifndef KERNEL_BPF_URING_H
#define KERNEL_BPF_URING_H

#include <stdbool.h>

struct error;
struct iotrace_bpf;

/* Before the programs are loaded: whether these are. */
void bpf_uring_choose(struct iotrace_bpf *programs, bool is_wanted);
/* Those of loaded programs that fit this kernel. Returns 0 or -errno: an end of requests would not be told. */
int bpf_uring_attach(struct iotrace_bpf *programs);
void bpf_uring_detach(struct iotrace_bpf *programs);

#endif
