/*
 * bpf_load: loads as many of the BPF programs as the kernel accepts.
 *
 * There are two builds of them (bpf_plain.h); the faster one is tried first. If the kernel refuses a program, all are loaded
 * again without its feature (bpf_feature.h). Loading fails only if the programs for calls are refused.
 */
#pragma once

#include "bpf_shared.h"
#include "feature/bpf_choice.h"

struct bpf_options;
struct error;
struct iotrace_bpf;

struct bpf_loaded {
	struct iotrace_bpf *programs; /* loaded, not attached */
	bool is_plain;
	bool has_dynptr;
	uint32_t
		zone_append; /* the operation that appends to a zone, which differs between kernels */
	struct bpf_cipher cipher; /* set by the caller before, */
	struct bpf_users users;   /* like this */
	struct bpf_choice choice;
};

/* Returns 0, or -errno with a message. In both cases, bpf_unload() releases it. */
int bpf_load(struct bpf_loaded *loaded, const struct bpf_options *options, struct error *err);
void bpf_unload(struct bpf_loaded *loaded);
