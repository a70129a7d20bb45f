/* bpf_span_request: the programs of a bpf_span that count block requests instead of events of tracepoints. */
#pragma once

#include "bpf_span.h"
#include "bpf_span_probe.h"
#include "load/bpf_shared.h"

#include <span.skel.h>

/* Returns 0, or -ENOTSUP with a message. */
int bpf_span_plan_requests(struct bpf_span_spec *spec, const struct bpf_span_options *options,
			   struct error *err);
/* Decides before they are loaded whether they are. */
void bpf_span_prepare_requests(struct span_bpf *programs, const struct bpf_span_spec *spec);
/* Returns 0, or -errno with a message. */
int bpf_span_attach_requests(struct span_bpf *programs, struct error *err);
