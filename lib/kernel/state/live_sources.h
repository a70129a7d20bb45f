/*
 * live_sources: parts of struct live: what each source of a recording keeps. Only its file in source/ changes it.
 */
#pragma once

#include "host/cgroup_names.h"
#include "load/bpf_ring.h"
#include "opener/opener.h"

#include <iotrace/map.h>
#include <stdbool.h>
#include <stdint.h>

struct bpf_block;
struct bpf_source;
struct bpf_span;

/* Of live_block. */
struct live_block {
	struct bpf_block *object; /* NULL: perf */
	bool is_counted;          /* the kernel counts requests, and none is recorded */
	uint64_t missed;          /* events that were missed before the programs were enabled */
	/* The groups that requests are charged to; perf's events do not name them. */
	struct cgroup_names groups;
	char why[200]; /* why perf is used although calls are recorded through BPF */
};

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

/* Of live_bpf. */
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

/* Of live_reopen. */
struct live_reopen {
	struct opener opener;
	struct map index; /* the id of an event that was opened again to the index of its spec */
};

/* Of live_span. */
struct live_span {
	struct bpf_span *object; /* NULL: it is not counted */
	/* At first the events that were missed before the span was enabled; at the end those that were missed since. */
	uint64_t missed;
	char why[200]; /* why it is not counted */
};

struct live_spans {
	struct live_span *span;     /* the spans that the recording wants to count */
	struct cgroup_names groups; /* if a span is grouped by them */
	uint64_t groups_at;         /* time of the last look at them */
	uint64_t begun, ended;      /* when the programs were enabled and disabled */
};
