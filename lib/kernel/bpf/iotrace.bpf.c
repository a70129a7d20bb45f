/*
 * iotrace.bpf: all programs of a recording except those of block.bpf.c, in one file.
 *
 * They share maps and variables, and a kernel function that libbpf before 1.2 cannot link from several files.
 */
#include "calls.bpf.c"
#include "detail.bpf.c"
#include "fault.bpf.c"
#include "fixed.bpf.c"
#include "program.bpf.c"
#include "uring.bpf.c"
#include "writeback.bpf.c"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
