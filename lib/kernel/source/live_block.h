/*
 * live_block: who records a recording's block requests: BPF programs where calls are recorded through BPF, else perf.
 *
 * What the programs write is in the rings of live_bpf, which empties them and keeps their books.
 */
#pragma once

#include "proc/cgroup_names.h"

#include <stdbool.h>
#include <stdint.h>

struct bpf_block;
struct error;
struct live;

struct live_block {
	struct bpf_block *object;   /* NULL: perf */
	uint64_t missed;            /* before they were on */
	struct cgroup_names groups; /* that requests are charged to; perf's events do not say */
	char why[200];              /* why it is perf, though calls are recorded through BPF */
};

/* Finds the numbers of the devices that the user named. Returns 0, or -errno with a sentence. */
int live_block_find_devices(struct live *live, struct error *err);
/* Attaches the BPF programs, which are off, if calls are recorded through BPF. If they cannot be had, a remark says why. */
void live_block_open(struct live *live);
/* Tells of control groups that were not told of yet: when the recording begins, and when it ends. */
void live_block_say_groups(struct live *live);
/* From here on, steps of requests are recorded. */
void live_block_start(struct live *live);
/* Nothing more will come. Returns how many steps the kernel did not tell the programs: those are lost. */
uint64_t live_block_stop(struct live *live);
void live_block_close(struct live *live);
