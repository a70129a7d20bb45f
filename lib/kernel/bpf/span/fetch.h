/*
 * fetch: fields of probes of programs: registers, and the memory of the program.
 *
 * Memory that is not present cannot be read here. Then the field is 0, as the kernel's own probes have it for memory that does
 * not exist, and it is counted.
 */
#pragma once

#include "count/bpf_span_probe.h"

#include <bpf/bpf_helpers.h>

const volatile struct bpf_span_probes probes;
uint64_t unread; /* fields whose memory was not present */

enum { NULL_PAGE = 4096 };

/* Of a text, returns the address. */
static __noinline uint64_t fetch(void *regs, const volatile struct bpf_span_fetch *how)
{
	uint32_t depth = how->depth, size = how->size;
	uint64_t value = 0, address;
	uint8_t shift;

	if (how->is_constant)
		return (int64_t)how->offset[0];
	bpf_probe_read_kernel(&value, sizeof(value), regs + how->at);
	for (uint32_t i = 0; i < BPF_SPAN_DEPTH && i < depth; i++) {
		uint32_t bytes = i + 1 < depth || !size || size > sizeof(value) ? sizeof(value)
										: size;

		address = value + (int64_t)how->offset[i];
		value = 0;
		if (!bpf_probe_read_user(&value, bytes, (void *)address))
			continue;
		value = 0;
		if (address >= NULL_PAGE)
			__sync_fetch_and_add(&unread, 1);
		break;
	}
	for (uint32_t i = 0; i < BPF_SPAN_DEPTH && !size; i++)
		if (i == depth)
			return value + (int64_t)how->offset[i];
	shift = 64 - 8 * size;
	value <<= shift & 63;
	return how->is_signed ? (uint64_t)((int64_t)value >> (shift & 63)) : value >> (shift & 63);
}
