/* group: which block requests and bios are counted, with which size, and for which group. */
#pragma once

#include "bpf/block/device.h"
#include "bpf/block/kind.h"

static __always_inline bool is_of_chosen(uint32_t device)
{
	bool is = !spec.devices;

	for (uint32_t i = 0; i < BPF_SPAN_DEVICES; i++)
		is = is || (i < spec.devices && spec.device[i] == device);
	return is;
}

static __always_inline uint32_t moves_of(uint32_t kind)
{
	return kind == REQUEST_READ                              ? BPF_SPAN_READS
	       : kind == REQUEST_WRITE || kind == REQUEST_ZEROES ? BPF_SPAN_WRITES
								 : 0;
}

/* Flushes and commands have no size. */
static __always_inline uint64_t size_of(uint32_t kind, uint64_t bytes)
{
	return kind == REQUEST_FLUSH || kind == REQUEST_OTHER ? 0 : bytes;
}

static __always_inline uint64_t group_of_block(uint32_t device, uint32_t kind, uint32_t moves)
{
	if (spec.owner)
		return (uint64_t)device << BPF_SPAN_OWNER_SHIFT |
		       (moves & (BPF_SPAN_READS | BPF_SPAN_WRITES));
	if (spec.request_groups == BPF_SPAN_BY_DEVICE)
		return device;
	if (spec.request_groups == BPF_SPAN_BY_KIND)
		return kind;
	return spec.request_groups ? (uint64_t)device << BPF_SPAN_OWNER_SHIFT | kind : 0;
}
