/* bpf_log: writes libbpf's messages to the log (-vv), and keeps the reason of a refusal. */
#pragma once

#include <bpf/libbpf.h>
#include <stdarg.h>

/* Why an object was refused. */
struct bpf_refusal {
	char program[64]; /* "": not because of one program */
	/* The decisive line: the last one of the verifier, or otherwise the first one of libbpf; "": there was none. */
	char why[160];
};

/* The function for libbpf_set_print(). Logs line by line; of a refused program, everything that the verifier says. */
int bpf_log(enum libbpf_print_level level, const char *format, va_list args);
/* From now on, keeps libbpf's complaints in this thread in `refusal`; NULL: nowhere. */
void bpf_log_keep(struct bpf_refusal *refusal);
