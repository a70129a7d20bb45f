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

/* What happened on a CPU since the last round. */
struct live_bpf_cpu {
	struct bpf_ring_reach reach;
	uint64_t moved;      /* records, since the beginning */
	uint64_t bytes;      /* value of the books at that time */
	uint64_t reported;   /* drops that were reported to the stream */
	uint64_t lost;       /* drops to be reported in this round, */
	uint64_t lost_at;    /* when they began */
	uint64_t lost_until; /* when the last of them happened */
};

struct live_bpf {
	struct bpf_source *source; /* NULL: perf records the calls */
	struct live_bpf_cpu *cpu;
	uint32_t cpus;     /* number of CPUs that have rings */
	bool is_held;      /* the round continues, because a record is still being written */
	uint64_t taken_at; /* when the rings were read before */
	uint64_t unstored, missed; /* counts that are already in the stream as gaps */
	uint32_t event;            /* index of "iotrace:bpf" in the capture */
	uint64_t in_flight;        /* number of records that user space has added */
	uint64_t init_time;        /* CPU time of process 1 when the recording began */
	char why[200];             /* why perf is used, or why BPF is not */
};

/* Id of the event "iotrace:bpf". */
#define LIVE_BPF_ID (((uint64_t)1 << 62) + 1)

/* Chooses the source. Returns 0, or -errno with a message if the user requires BPF but it is not possible. */
int live_bpf_open(struct live *live, struct error *err);
/* Adds the event to the description in the capture. */
int live_bpf_describe(struct live *live, struct error *err);
/* Attaches the programs and marks the tasks to trace. This is the last step that needs rights. */
int live_bpf_attach(struct live *live, struct error *err);
/* The rings of the BPF programs, as a source. Its `self` is a struct live. */
extern const struct ring_source_ops live_bpf_ops;
/* Adds facts about calls and events that the programs missed since the rings were read before. */
void live_bpf_take_gaps(struct live *live, uint64_t now);
/* Returns whether the CPU with this number has a ring, or no BPF program runs. */
bool live_bpf_follows(const struct live *live, uint32_t number);
/* Adds records of the calls that are in flight and began at least `age` ns ago. Later records may say that they have ended. */
void live_bpf_put_old_calls(struct live *live, uint64_t age);
/* Functions of live_bpf_ops: whether all records that the programs counted have been moved; and the fact COUNT. */
bool live_bpf_has_all(const void *self);
/* Adds the fact SOURCE. */
void live_bpf_add_source_fact(struct live *live);
void live_bpf_add_count_fact(void *self);
