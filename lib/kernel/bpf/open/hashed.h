/*
 * hashed: how many spans in the hash have the same first fields of their key, for what takes all of them away: see part.h. Parts of keys share
 * one of BPF_SPAN_PARTS numbers, so a number may be too large.
 */
#pragma once

#include "count/bpf_span_shared.h"

uint32_t hashed[BPF_SPAN_PARTS];

static __always_inline uint32_t *hashed_with(const uint64_t *key)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < BPF_SPAN_KEYS; i++)
		if (i < spec.hashed_keys)
			hash = ((hash ^ hash >> 32) + key[i]) * 0x9e3779b97f4a7c15;
	return &hashed[hash >> 32 & (BPF_SPAN_PARTS - 1)];
}

static __always_inline void count_hashed(const uint64_t *key, uint32_t more)
{
	if (spec.hashed_keys)
		__sync_fetch_and_add(hashed_with(key), more);
}
