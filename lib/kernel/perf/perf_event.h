/*
 * perf_event: the events of a recording, for each target on each CPU, and the rings they write into.
 *
 * Policy: which attributes, what is given up where a kernel or a right is missing. A spec says what is
 * recorded; opening it for a target gives one descriptor and one kernel id for each CPU. All events of a CPU
 * write into one ring. Nothing is switched on before perf_set_enable().
 *
 * A target is a thread (whose new children have the events, too), PERF_EVERYBODY, or a cgroup by its descriptor.
 */
#pragma once

#include "perf_ring.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct error;
struct opener;

enum perf_role {
	ROLE_TASK, /* FORK, EXIT and COMM records; the first spec, its events own the rings */
	ROLE_ENTER,
	ROLE_EXIT,
	ROLE_OPENER,   /* exits that gave a descriptor: they wake us at once */
	ROLE_PATH,     /* enters whose path must be read at once: they wake us, too */
	ROLE_OPTIONAL, /* what a recording can do without: may be refused */
	ROLE_COUNTER,  /* -E: read along with the exits */
	ROLE_CHOSEN,   /* -e: a tracepoint that the user named */
	ROLE_BLOCK,    /* of block requests: of the whole machine, whatever the target is */
};

enum { PERF_SPECS_MAX = 64, PERF_NO_LEADER = -1, PERF_EVERYBODY = -1 };

/* What perf_set_open() opens the events for. */
enum perf_target { TARGET_THREAD, TARGET_EVERYBODY, TARGET_CGROUP };

struct perf_spec {
	enum perf_role role;
	struct perf_event_attr attr;
	char *name;
	char *filter;   /* NULL: none */
	int leader;     /* index of the spec whose group it is in */
	bool is_absent; /* was refused, and is not needed */
};

struct perf_set {
	struct perf_spec spec[PERF_SPECS_MAX];
	uint32_t specs;
	uint32_t *cpu; /* numbers of the CPUs: those that are online, then those that may come */
	uint32_t cpus, online;
	uint64_t spare_bytes; /* of the ring of a CPU that may come */
	bool is_mapped;
	enum perf_target target;
	uint32_t threads; /* (or cgroups) opened for */
	int *fd;          /* [thread][spec][cpu], -1: none */
	uint64_t *id;     /* the same */
	uint32_t fds, fd_cap, id_cap;
	struct perf_ring *
		ring; /* one for each CPU; not mapped: a CPU that may come without being recorded */
	int *owner; /* of the rings of CPUs that may come, where no event can be opened before; else -1 */
	uint32_t *poll_thread; /* whose event is waited for, for each CPU */
	bool has_lost;         /* read() says how many samples were lost */
	const struct opener
		*opener;       /* opens what is opened from now on; NULL: we may ourselves. Lent */
	bool may_reopen;       /* events that the kernel took away can be opened again */
	pthread_mutex_t mutex; /* fd, poll_thread: other threads poll while more is opened */
};

struct perf_count {
	uint64_t counted, lost;
};

/* Returns where the event of a spec for a thread stands in fd and id. */
static inline uint32_t perf_set_slot(const struct perf_set *set, uint32_t thread, uint32_t spec,
				     uint32_t cpu)
{
	return (thread * set->specs + spec) * set->cpus + cpu;
}

void perf_set_init(struct perf_set *set);
/* Accepts a half-built set. Closing waits for the kernel (some 25 ms for each tracepoint). */
void perf_set_release(struct perf_set *set);

/* Reads which CPUs are online ("0-3,8"); the text is /sys/devices/system/cpu/online. */
int perf_set_cpus(struct perf_set *set, const char *text);
/*
 * Adds the CPUs that are offline and may come (/sys/devices/system/cpu/present): events of tasks are opened for them, too, and
 * count as soon as they are there. They get the smaller rings of set->spare_bytes, or none if those cannot be had.
 */
int perf_set_spares(struct perf_set *set, const char *text);
/* Returns whether all that the set records of tasks is recorded on the CPU with this number, whenever it comes. */
bool perf_set_follows(const struct perf_set *set, uint32_t number);
/* Fills an attr with what all our events have in common. */
void perf_attr_init(struct perf_event_attr *attr, uint32_t type, uint64_t config);
/* Appends a spec; name is copied, filter taken. Returns its index. set->target is chosen before. */
int perf_set_add(struct perf_set *set, enum perf_role role, const struct perf_event_attr *attr,
		 const char *name, char *filter, int leader);
/*
 * Opens the first spec for a thread on all CPUs and maps the rings: `want` bytes each, or the largest that the
 * kernel gives (at least `least`). They wake us when a quarter is full. Returns 0 and their size in ring[0].size,
 * -ESRCH if the thread has ended, or -errno with a sentence that names what is missing.
 */
int perf_set_map(struct perf_set *set, pid_t tid, uint64_t want, uint64_t least, struct error *err);
/*
 * Opens what is not yet open of all specs for a thread on all CPUs; to be called first for the thread of
 * perf_set_map(). Returns as it does; nothing is kept then.
 */
int perf_set_open(struct perf_set *set, pid_t tid, struct error *err);
/*
 * Opens the events of a CPU itself, which has come, as those of one more thread: of everybody (-1), or of a control group as the
 * opener knows it. Returns 0 or -errno.
 */
int perf_set_open_cpu(struct perf_set *set, uint32_t cpu, int who, struct error *err);
/* Switches everything on or off. */
int perf_set_enable(const struct perf_set *set, bool is_on, struct error *err);
/* Switches the task records of the thread on that was opened last. */
void perf_set_enable_task(const struct perf_set *set);
/* Switches all events of the thread on, and of those that were opened after it. */
void perf_set_enable_from(const struct perf_set *set, uint32_t thread);
/* Returns a descriptor that is readable when the ring of the CPU wants to be read, -1: none is left. */
int perf_set_poll_fd(const struct perf_set *set, uint32_t cpu);
/* The descriptor's thread has ended: takes another one for the CPU. */
void perf_set_poll_next(struct perf_set *set, uint32_t cpu);
/* Returns whether a thread that was asked for, or one that descends from it, still runs. Not for is_system. */
bool perf_set_has_tasks(const struct perf_set *set);
/*
 * Returns how many BPF programs run at a spec's tracepoint before its samples are made: one that returns 0 keeps them from
 * everybody. 0, too, where it may not be asked (CAP_PERFMON). Linux 4.17 (PERF_EVENT_IOC_QUERY_BPF).
 */
uint32_t perf_set_foreign(const struct perf_set *set, uint32_t spec);
/* Sums what a spec counted over threads and CPUs. */
struct perf_count perf_set_count(const struct perf_set *set, uint32_t spec);

/* Returns the ids of a spec's events (the caller frees them). */
uint64_t *perf_set_ids(const struct perf_set *set, uint32_t spec, uint32_t *count);
