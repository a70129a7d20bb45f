/*
 * live_span: spans of a recording that BPF programs count. Where they cannot, the events of a span are recorded instead.
 */
#pragma once

#include <stdint.h>

struct bpf_span;
struct live;

struct live_span {
	struct bpf_span *object; /* NULL: it is not counted */
	uint64_t missed;         /* before it was on; then: while it was */
	char why[200];           /* it is not counted */
};

struct live_spans {
	struct live_span *span; /* as many as the recording wants counted */
	uint64_t begun, ended;  /* when they were on */
};

/* Attaches the programs, which are off, if calls are recorded through BPF. */
void live_span_open(struct live *live);
/* From here on, spans are counted. */
void live_span_start(struct live *live);
/* No more. Until they are closed, their numbers can be read. */
void live_span_stop(struct live *live);
void live_span_close(struct live *live);
