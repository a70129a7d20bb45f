/*
 * bpf_load: the programs of a recording, as many as the kernel takes.
 *
 * They are there twice (bpf_plain.h): first those are tried that cost less. The kernel may refuse a program: then all are loaded
 * again without the feature that it belongs to (bpf_feature.h). Only without the programs that record the calls is there
 * nothing to be had.
 */
#pragma once

#include "bpf_shared.h"
#include "feature/bpf_choice.h"

struct bpf_options;
struct error;
struct iotrace_bpf;

struct bpf_loaded {
	struct iotrace_bpf *programs; /* loaded; not attached */
	bool is_plain;
	bool has_dynptr;
	struct bpf_cipher cipher; /* the caller's, before; */
	struct bpf_users users;   /* and so is this */
	struct bpf_choice choice;
};

/* Returns 0 or -errno with a sentence. In both cases bpf_unload() releases it. */
int bpf_load(struct bpf_loaded *loaded, const struct bpf_options *options, struct error *err);
void bpf_unload(struct bpf_loaded *loaded);
