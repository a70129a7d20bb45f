/* bpf_log: writes libbpf's messages to the log (-vv), and keeps the reason of a refusal. */
#pragma once

#include <bpf/libbpf.h>
#include <stdarg.h>

/* What an object was refused for. */
struct bpf_refusal {
	char program[64]; /* "": no program in particular */
	char why[160]; /* what decided: the last word of the verifier, or else the first of libbpf; "": nothing was said */
};

/* For libbpf_set_print(). Line by line: of a program that is refused, all that the verifier says. */
int bpf_log(enum libbpf_print_level level, const char *format, va_list args);
/* From here on, libbpf's complaints in this thread are kept there; NULL: nowhere. */
void bpf_log_keep(struct bpf_refusal *refusal);
