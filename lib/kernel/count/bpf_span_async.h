/* bpf_span_async: the programs that see asynchronous requests: their bytes count, or they are operations. */
#pragma once

#include "bpf_span_private.h"

struct bpf_common;
struct error;

/* Returns 0; or -ENOTSUP with a message if requests of io_uring are operations, and its tracepoints have other arguments than expected. */
int bpf_span_check_async(const struct bpf_span_spec *spec, const struct bpf_source *source,
			 struct error *err);
/* Chooses the programs to load, and fills the tables that they need. */
void bpf_span_prepare_async(struct span_bpf *programs, const struct bpf_span_spec *spec,
			    const struct bpf_common *common);
/* Returns 0, or -errno with a message. */
int bpf_span_attach_async(struct span_bpf *programs, struct error *err);
