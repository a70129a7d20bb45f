/*
 * live_bpf: a recording's BPF source, as the control thread sees it: rings to be emptied, books to be kept.
 *
 * The caller drains; everything here is of one thread at a time.
 */
#pragma once

#include "load/bpf_ring.h"
#include "ring/ring_source.h"

#include <stdbool.h>
#include <stdint.h>

struct bpf_source;
struct error;
struct live;

/* Counted since the last round, for each CPU. */
struct live_bpf_cpu {
	struct bpf_ring_reach reach;
	uint64_t moved;      /* records, since the beginning */
	uint64_t bytes;      /* of the books, then */
	uint64_t reported;   /* drops that were reported to the stream */
	uint64_t lost;       /* drops to be reported in this round, */
	uint64_t lost_at;    /* and when they began */
	uint64_t lost_until; /* when the last of them was */
};

struct live_bpf {
	struct bpf_source *source; /* NULL: perf pairs the calls */
	struct live_bpf_cpu *cpu;
	uint32_t cpus;     /* that have rings */
	bool is_held;      /* the round goes on: a ring has a record that is still being written */
	uint64_t taken_at; /* when the rings were looked at before */
	uint64_t unstored, missed; /* calls, programs: reported to the stream */
	uint32_t event;            /* index of "iotrace:bpf" in the capture */
	uint64_t in_flight;        /* records that user space added */
	uint64_t init_time;        /* CPU time of process 1 when the recording began */
	char why[200];             /* why it is perf, or why not */
};

/* Id of the event "iotrace:bpf". */
#define LIVE_BPF_ID (((uint64_t)1 << 62) + 1)

/* Chooses the source as the options say. Returns 0, or -errno with a sentence if it must be BPF and cannot. */
int live_bpf_open(struct live *live, struct error *err);
/* Adds the event to the capture's description. */
int live_bpf_describe(struct live *live, struct error *err);
/* Attaches the programs and marks whom to trace; then no right is needed any more. */
int live_bpf_attach(struct live *live, struct error *err);
/* Their rings. Of a struct live. */
extern const struct ring_source_ops live_bpf_ops;
/* Says what the programs could not record since the rings were looked at before. */
void live_bpf_take_gaps(struct live *live, uint64_t now);
/* Whether no BPF program has to do without a ring on the CPU with this number. */
bool live_bpf_follows(const struct live *live, uint32_t number);
/* Whether all has been moved that the programs counted. */
bool live_bpf_has_all(const struct live *live);
/* The facts SOURCE and COUNT. */
void live_bpf_say_source(struct live *live);
void live_bpf_say_count(struct live *live);
