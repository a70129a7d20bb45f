/*
 * bpf_log: what libbpf says goes to the log, at the level of -vv.
 */
#ifndef IOTRACE_KERNEL_BPF_LOG_H
#define IOTRACE_KERNEL_BPF_LOG_H

#include <bpf/libbpf.h>
#include <stdarg.h>

/* For libbpf_set_print(). Line by line: of a program that is refused, all that the verifier says. */
int bpf_log(enum libbpf_print_level level, const char *format, va_list args);

#endif
