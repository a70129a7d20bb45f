/* bpf_span_spec: a span's fields, as the programs that count it find them in the data of its tracepoints. */
#pragma once

#include "bpf_span_shared.h"

#include <iotrace/counted.h>
#include <stddef.h>

struct bpf_insn;
struct error;

/* Where the numbers of a side stand in the tracepoint's data. */
struct bpf_span_offsets {
	struct bpf_span_offset {
		uint16_t offset;
		uint8_t size; /* 1, 2, 4 or 8; 0: there is no such number */
	} field[BPF_SPAN_FIELDS];
};

struct bpf_span_plan {
	struct bpf_span_spec spec;
	struct bpf_span_offsets offsets[BPF_SPAN_SIDES];
};

/* format: of the tracepoint of each side; NULL: there is none. Returns 0, or -ENOTSUP with a sentence: the programs cannot count this. */
int bpf_span_plan(struct bpf_span_plan *plan, const struct counted_span *span,
		  char *const format[BPF_SPAN_SIDES], struct error *err);
/*
 * Where the side is a tracepoint of one system call, "syscalls:sys_enter_NAME" or exit, the programs at those of all calls can have it
 * for less, if the kernel's call has that number.
 */
void bpf_span_use_calls(struct bpf_span_plan *plan, int side, const char *event, int number);
/* Changes the instructions of a side that read fields. */
void bpf_span_patch(struct bpf_insn *insn, size_t count, const struct bpf_span_offsets *offsets);
