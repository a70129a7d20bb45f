/*
 * bpf_source: the BPF programs of a recording, the tasks that they trace, and their rings.
 *
 * They write the records of bpf_record.h into one ring for each CPU. In a build without libbpf, bpf_source_open() fails.
 */
#pragma once

#include "bpf_ring.h"
#include "bpf_shared.h"
#include "feature/bpf_feature.h"

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct bpf_source;
struct recording;

/* Lent until bpf_source_open() returns. */
struct bpf_options {
	/* The calls to record, and names and users of their tasks. */
	const struct recording *recording;
	/* Numbers of the online CPUs, then of `spares` CPUs that may come online. */
	const uint32_t *cpu;
	uint32_t cpus, spares;
	uint64_t ring_bytes; /* size of the ring of each online CPU: a power of two of pages */
	uint64_t ring_least;
	uint64_t spare_bytes; /* size for each CPU that may come online */
	uint64_t id;          /* id of the event in the capture */
	/* Commands that join may want these groups, so their programs are needed, too. */
	uint32_t more_groups;
	bool hides_addresses; /* ids replace kernel addresses */
	bool is_system;       /* record all tasks except those of iotrace */
	/* is_system: only tasks in these control groups (version 2), or below them. */
	const int *cgroup;
	uint32_t cgroups; /* 0: all tasks */
};

/* Returns whether the build has the programs. */
bool bpf_source_is_built(void);
/* Returns the programs, loaded and not attached, with their rings mapped; NULL with a message. */
struct bpf_source *bpf_source_open(const struct bpf_options *options, struct error *err);
void bpf_source_close(struct bpf_source *source);

/* From now on, children of marked tasks are marked. This is the last step that needs rights. */
int bpf_source_attach(struct bpf_source *source, struct error *err);
/* A command has joined: also records calls of these groups, and those of tasks with any name if takes_all_names. */
void bpf_source_widen(struct bpf_source *source, uint32_t groups, bool takes_all_names);
/* Mark a process that has one thread, or all threads of a process, and the threads and processes that they create meanwhile. */
int bpf_source_add_child(struct bpf_source *source, pid_t pid, struct error *err);
int bpf_source_add_process(struct bpf_source *source, pid_t pid, struct error *err);
/* Excludes another process of iotrace from a system recording. */
void bpf_source_exclude(struct bpf_source *source, enum bpf_own_helper helper, pid_t pid);
/* Returns the state of a feature. Lent. */
const struct bpf_feature_state *bpf_source_feature(const struct bpf_source *source,
						   enum bpf_feature feature);
/* Enables or disables the recording of calls that begin from now on. */
void bpf_source_enable(struct bpf_source *source, bool is_on);
/* Returns whether a program has run in process 1. */
bool bpf_source_has_met_init(const struct bpf_source *source);
/* Returns whether a task that perf's events no longer follow, or a descendant of it, is still running. */
bool bpf_source_has_detached(const struct bpf_source *source);
/* Returns how many records were lost because their CPU has no ring. Call it after the programs are detached. */
uint64_t bpf_source_dropped_without_ring(const struct bpf_source *source);
/* Returns how many new tasks could not be marked for lack of memory. */
uint32_t bpf_source_untraced(const struct bpf_source *source);
/* Returns how many calls of any task were not stored for lack of memory. */
uint32_t bpf_source_unstored(const struct bpf_source *source);
/* Returns how often the kernel did not run a program: see bpf_missed.h. */
uint64_t bpf_source_missed(const struct bpf_source *source);
/* Detaches the programs: none runs any more. */
void bpf_source_detach(struct bpf_source *source);

/* Returns how many CPUs have rings: all of options.cpu, or, if not enough rings could be created, the first of them. */
uint32_t bpf_source_cpus(const struct bpf_source *source);
/* Return the ring and the counters of the CPU with this index in options.cpu. Lent. */
struct bpf_ring *bpf_source_ring(struct bpf_source *source, uint32_t cpu);
struct bpf_books *bpf_source_books(struct bpf_source *source, uint32_t cpu);
/* Returns a descriptor to poll for the wake-ups that were requested in the counters; lent. */
int bpf_source_ring_fd(const struct bpf_source *source, uint32_t cpu);

/* What the programs of another object share with these. The maps are lent. */
struct bpf_common {
	int rings_fd, books_fd, calls_fd;
	bool is_plain;       /* see bpf_plain.h */
	bool is_preemptible; /* see bpf/base/preempt.h */
	bool hides_addresses;
	uint32_t mounted_flag; /* DCACHE_MOUNTED */
	uint32_t zone_append;  /* the operation that appends to a zone */
	struct bpf_cipher cipher;
	struct bpf_users users;
	/* The chosen names, and control groups. Lent. */
	const struct bpf_comm *comm;
	uint32_t cgroups;
	int cgroups_fd;
	/* The programs that take the begins and ends of io_uring's requests; NULL: none fits. */
	const char *uring_begin, *uring_end;
	bool has_faults; /* the tracepoints of page faults are as expected */
};

struct bpf_common bpf_source_common(const struct bpf_source *source);

/* Calls back for each call that has not ended. Returns 0 or -errno. */
int bpf_source_in_flight(struct bpf_source *source,
			 void (*found)(void *context, const struct bpf_in_flight *call),
			 void *context);
