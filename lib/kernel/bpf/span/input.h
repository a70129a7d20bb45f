/* input: what a program for an event of a span gets. */
#pragma once

#include "count/bpf_span_probe.h"

/* The data of a tracepoint, a system call, or the registers at a probe. */
struct input {
	const volatile struct bpf_span_point *point; /* what it is an event of */
	void *data;
	struct pt_regs *regs;
	const volatile struct bpf_span_site *site; /* of a probe */
	const uint64_t *kept;                      /* from the entry of the function */
	uint64_t result;
	uint64_t task; /* pid and tid */
	long call;
	bool is_foreign; /* it is a 32-bit call, whose number is that of another call */
};

static __always_inline uint64_t number_of_point(const struct input *input)
{
	return input->point - spec.point;
}

/* Where a field of a probe is; NULL: the point is none. */
static __always_inline const volatile struct bpf_span_fetch *fetch_of(const struct input *input,
								      uint32_t number)
{
	return input->site ? &input->site->field[number] : NULL;
}
