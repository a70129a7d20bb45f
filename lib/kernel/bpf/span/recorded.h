/*
 * recorded: calls that count as they are recorded: see counted_span.is_as_recorded. For other spans, the kernel's verifier removes most
 * of this.
 */
#pragma once

#include "bpf/base/ioctl.h"
#include "bpf/span/owner.h"
#include "bpf/span/wanted.h"
#include "count/bpf_span_cell.h"

/* Whether a recording would only count the call, because its number is that of another call. is_compat: of a 32-bit program. */
static __always_inline bool is_noted(uint64_t call, bool is_compat)
{
	return spec.is_as_recorded && (is_compat || call & X32);
}

static __always_inline void note_foreign(struct bpf_span_books *books)
{
	const struct input input = {.task = bpf_get_current_pid_tgid()};

	if (books && is_chosen() && is_followed(&input))
		books->foreign++;
}

static __always_inline bool is_left_out(struct pt_regs *regs, uint64_t call)
{
	if (!spec.has_about)
		return false;
	if (about_value(call) & BPF_SPAN_UNWANTED)
		return true;
	return spec.is_as_recorded && (int32_t)call == spec.ioctl &&
	       !is_known_request(argument_of(regs, 1));
}

/* A call that copies moves its data twice, but in each of its operations once. Where flights count, their bytes are those that are shown. */
static __always_inline uint64_t bytes_at_end(const struct bpf_span_open *open,
					     const struct input *input)
{
	uint64_t size = input->point->field[BPF_SPAN_SIZE].at ? VALUE(input, BPF_SPAN_SIZE) : 0;
	uint32_t ways = open->moves & (BPF_SPAN_READS | BPF_SPAN_WRITES);

	if (!spec.is_size_result || spec.flights)
		return size;
	if ((int64_t)size < 0 || !ways)
		return 0;
	return ways == (BPF_SPAN_READS | BPF_SPAN_WRITES) && spec.owner != BPF_SPAN_OF_OPERATION
		       ? 2 * size
		       : size;
}

/* What has begun before is not looked for where calls are chosen or recorded one by one. */
static __always_inline bool counts_ends(const struct input *input)
{
	if (input->is_foreign || spec.has_user || spec.has_choice || spec.is_as_recorded ||
	    spec.owner == BPF_SPAN_OF_FILE_SYSTEM || spec.owner == BPF_SPAN_OF_OPERATION)
		return false;
	return ends_anywhere() || is_followed(input);
}
