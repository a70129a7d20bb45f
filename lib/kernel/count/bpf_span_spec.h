/* bpf_span_spec: the fields of a span, as the programs that count it find them in the data of its tracepoints. */
#pragma once

#include "bpf_span_probe.h"
#include "load/bpf_shared.h"

#include <iotrace/counted.h>
#include <stddef.h>

struct bpf_insn;
struct error;
struct recording_probes;

/* Where the numbers of a point are in the tracepoint's data. */
struct bpf_span_offsets {
	struct bpf_span_offset {
		uint16_t offset;
		uint8_t size; /* 1, 2, 4 or 8; 0: there is no such number */
	} field[BPF_SPAN_FIELDS];
};

struct bpf_span_plan {
	struct bpf_span_spec spec;
	struct bpf_span_offsets offsets[BPF_SPAN_POINTS];
	struct bpf_span_probes probes;
	struct bpf_span_match match[BPF_SPAN_POINTS][BPF_SPAN_TESTS];
	struct bpf_comm pattern[BPF_SPAN_PATTERNS];
	uint32_t patterns; /* number of those in use */
};

/* What is known of the events of a span. */
struct bpf_span_source {
	char *format[BPF_SPAN_POINTS];         /* of each point's tracepoint; NULL: none */
	const struct recording_probes *probes; /* NULL: none */
};

/* Returns 0, or -ENOTSUP with a message if the programs cannot count the span. */
int bpf_span_plan(struct bpf_span_plan *plan, const struct counted_span *span,
		  const struct bpf_span_source *from, struct error *err);
/*
 * If the point is a tracepoint of one system call ("syscalls:sys_enter_NAME" or exit), uses the cheaper tracepoint of all calls,
 * with this call number.
 */
void bpf_span_use_calls(struct bpf_span_plan *plan, int point, const char *event, int number);
/* If calls count as they are recorded, says which of them is ioctl(). */
void bpf_span_use_known(struct bpf_span_spec *spec, const struct counted_span *span);
/* Writes the offsets and sizes of fields into the instructions of a point. */
void bpf_span_patch(struct bpf_insn *insn, size_t count, const struct bpf_span_offsets *offsets);
