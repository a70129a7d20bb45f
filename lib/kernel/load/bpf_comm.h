/* bpf_comm: globs of command names, as a table that BPF programs step through. */
#pragma once

#include "bpf_shared.h"

struct error;

/*
 * Fills the table for names that match any of the globs: *, ?, [...], [!...] and \, as in the kernel's own filters. Returns 0, or
 * -E2BIG with a message if they are too long together.
 */
int bpf_comm_fill(struct bpf_comm *comm, const char *const *glob, uint32_t globs,
		  struct error *err);
