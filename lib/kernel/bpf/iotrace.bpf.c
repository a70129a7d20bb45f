/*
 * iotrace.bpf: the programs of a recording but those of block.bpf.c, as one piece.
 *
 * They share maps and variables, and a function of the kernel's that libbpf before 1.2 cannot link from several pieces.
 */
#include "calls.bpf.c"
#include "detail.bpf.c"
#include "fault.bpf.c"
#include "fixed.bpf.c"
#include "program.bpf.c"
#include "uring.bpf.c"
#include "writeback.bpf.c"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
