/* bpf_calls: translates syscalls.def for the BPF programs. */
#pragma once

#include "bpf_shared.h"

/* Fills the roles of the calls of these groups (bits 1 << enum call_group; OPEN and TASK are always in). */
void bpf_calls_fill(struct bpf_call_role role[BPF_CALLS], uint32_t groups);
/* Adds the roles of these groups, while the programs may be reading them. */
void bpf_calls_add(struct bpf_call_role role[BPF_CALLS], uint32_t groups);
