/*
 * live_bpf: the BPF source of a recording. The control thread empties its rings and counts records.
 *
 * Only one thread at a time uses it.
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

/* Chooses the source. Returns 0, or -errno with a sentence if the user requires BPF, but it is not possible. */
int live_bpf_open(struct live *live, struct error *err);
/* Adds the event to the capture's description. */
int live_bpf_describe(struct live *live, struct error *err);
/* Attaches the programs and marks the tasks to trace. It is the last step that needs rights. */
int live_bpf_attach(struct live *live, struct error *err);
/* Their rings. Of a struct live. */
extern const struct ring_source_ops live_bpf_ops;
/* Adds facts about calls and events that the programs missed since the rings were read before. */
void live_bpf_take_gaps(struct live *live, uint64_t now);
/* Returns whether the CPU with this number has a ring, or no BPF program runs. */
bool live_bpf_follows(const struct live *live, uint32_t number);
/* has_all() and lost() of live_bpf_ops: whether all has been moved that the programs counted, and the fact COUNT. */
bool live_bpf_has_all(const void *self);
/* The fact SOURCE. */
void live_bpf_add_source_fact(struct live *live);
void live_bpf_add_count_fact(void *self);
