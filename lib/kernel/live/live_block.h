/*
 * live_block: who records a recording's block requests: BPF programs where calls are recorded through BPF, else perf.
 *
 * What the programs write is in the rings of live_bpf, which empties them and keeps their books.
 */
#ifndef KERNEL_LIVE_BLOCK_H
#define KERNEL_LIVE_BLOCK_H

#include "proc/cgroup_names.h"

#include <stdbool.h>
#include <stdint.h>

struct bpf_block;
struct live;

struct live_block {
	struct bpf_block *programs; /* NULL: perf */
	uint64_t missed;            /* before they were on */
	struct cgroup_names groups; /* that requests are charged to; perf's events do not say */
	char why[200];              /* why it is perf, though calls are recorded through BPF */
};

/* Returns whether BPF programs record them; they are attached, and off. If not: a remark says why. */
bool live_block_open(struct live *live);
/* Tells of control groups that were not told of yet: when the recording begins, and when it ends. */
void live_block_say_groups(struct live *live);
/* From here on, steps of requests are recorded. */
void live_block_start(struct live *live);
/* Nothing more will come; what a program was not told of is a loss. */
void live_block_stop(struct live *live);
void live_block_close(struct live *live);

#endif
