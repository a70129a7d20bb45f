/* bpf_span_fault: the programs that count page faults as operations. */
#pragma once

#include "bpf_span_private.h"

struct error;

/* Describes a span of page faults only. Returns 0. */
int bpf_span_plan_faults(struct bpf_span_spec *spec, const struct counted_span *span);
/* Adds page faults to a span of operations. Returns 0; or -ENOTSUP with a message if the kernel has other tracepoints than expected. */
int bpf_span_add_faults(struct bpf_span_spec *spec, const struct bpf_source *source,
			struct error *err);
/* Chooses the programs to load. */
void bpf_span_prepare_faults(struct span_bpf *programs, const struct bpf_span_spec *spec);
/* Returns 0, or -errno with a message. */
int bpf_span_attach_faults(struct span_bpf *programs, struct error *err);
