/*
 * perf_event: the events of a recording, for each target on each CPU, and their ring buffers.
 *
 * This file decides about attributes, and about fallbacks if the kernel or a right lacks something. A spec describes what is
 * recorded. Opening it for a target gives one descriptor and one kernel id for each CPU. All events of a CPU write into one
 * ring buffer. Nothing is enabled before perf_set_enable().
 *
 * A target is a thread (whose new children inherit the events), PERF_EVERYBODY, or a control group by its descriptor.
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
	ROLE_OPENER,   /* ends that returned a descriptor: they wake iotrace at once */
	ROLE_PATH,     /* begins whose path must be read at once: they also wake iotrace */
	ROLE_OPTIONAL, /* the recording works without it, so it may be refused */
	ROLE_COUNTER,  /* -E: read with each end of a call */
	ROLE_CHOSEN,   /* -e: a tracepoint that the user named */
	ROLE_BLOCK,    /* block requests, and events of some spans: always of the whole machine */
};

enum { PERF_SPECS_MAX = 64, PERF_NO_LEADER = -1, PERF_EVERYBODY = -1 };

/* The kind of target of perf_set_open(). */
enum perf_target { TARGET_THREAD, TARGET_EVERYBODY, TARGET_CGROUP };

struct perf_spec {
	enum perf_role role;
	struct perf_event_attr attr;
	char *name;
	char *filter;    /* NULL: none */
	int leader;      /* index of the spec that leads its group */
	bool is_absent;  /* it was refused and is optional */
	bool is_silent;  /* BPF programs of the recording take all its samples away */
	bool is_skipped; /* threads that are added from now on do not need it */
};

struct perf_set {
	struct perf_spec spec[PERF_SPECS_MAX];
	uint32_t specs;
	uint32_t *
		cpu; /* numbers of the CPUs: first the online ones, then those that may come online */
	uint32_t cpus, online;
	uint64_t spare_bytes; /* size of the ring buffer of a CPU that may come online */
	bool is_mapped;
	enum perf_target target;
	uint32_t threads; /* number of threads (or control groups) with open events */
	int *fd;          /* [thread][spec][cpu], -1: none */
	uint64_t *id;     /* as fd */
	uint32_t fds, fd_cap, id_cap;
	/* One for each CPU; unmapped if an offline CPU will not be recorded. */
	struct perf_ring *ring;
	int *owner;            /* event that owns the ring buffer of an offline CPU; otherwise -1 */
	uint32_t *poll_thread; /* for each CPU: the thread whose event is polled */
	bool has_lost;         /* read() returns the number of lost samples */
	const struct opener
		*opener; /* opens further events; NULL: this process may open them. Lent */
	bool may_reopen; /* events that the kernel removed can be opened again */
	/* Protects fd and poll_thread: other threads poll while events are added. */
	pthread_mutex_t mutex;
};

struct perf_count {
	uint64_t counted, lost;
};

/* Returns the index in fd and id of a spec's event for a thread. */
static inline uint32_t perf_set_slot(const struct perf_set *set, uint32_t thread, uint32_t spec,
				     uint32_t cpu)
{
	return (thread * set->specs + spec) * set->cpus + cpu;
}

void perf_set_init(struct perf_set *set);
/* Also frees a half-built set. Closing waits for the kernel (about 25 ms for each tracepoint). */
void perf_set_release(struct perf_set *set);

/* Parses the list of online CPUs ("0-3,8") of /sys/devices/system/cpu/online. */
int perf_set_cpus(struct perf_set *set, const char *text);
/*
 * Adds the offline CPUs of /sys/devices/system/cpu/present. Events of tasks are opened for them as well, and count as soon as they
 * are online. Their ring buffers have set->spare_bytes, or do not exist if there is not enough memory.
 */
int perf_set_spares(struct perf_set *set, const char *text);
/* Returns whether events of tasks are recorded on the CPU with this number as soon as it comes online. */
bool perf_set_follows(const struct perf_set *set, uint32_t number);
/* Fills an attr with the values that all events have in common. */
void perf_attr_init(struct perf_event_attr *attr, uint32_t type, uint64_t config);
/* Appends a spec; copies the name, takes over the filter. Returns its index. Set set->target before. */
int perf_set_add(struct perf_set *set, enum perf_role role, const struct perf_event_attr *attr,
		 const char *name, char *filter, int leader);
/*
 * Opens the first spec for a thread on all CPUs and maps the ring buffers: `want` bytes each, or the largest size that the kernel
 * allows (at least `least`). A ring buffer wakes iotrace when a quarter of it is full. Returns 0 and the size in ring[0].size, -ESRCH
 * if the thread has ended, or -errno with a message that names what is missing.
 */
int perf_set_map(struct perf_set *set, pid_t tid, uint64_t want, uint64_t least, struct error *err);
/* Instead of perf_set_map(): there are no events, and no ring has anything. */
void perf_set_map_none(struct perf_set *set);
/*
 * Opens all remaining specs for a thread on all CPUs. Call it first for the thread of perf_set_map(). Returns the same codes; after
 * an error, none of these events stays open.
 */
int perf_set_open(struct perf_set *set, pid_t tid, struct error *err);
/*
 * Opens the events of a CPU that came online, as if for one more thread: of all tasks (-1), or of a control group by its index in
 * the opener's table. Returns 0 or -errno.
 */
int perf_set_open_cpu(struct perf_set *set, uint32_t cpu, int who, struct error *err);
/* Enables or disables all events. */
int perf_set_enable(const struct perf_set *set, bool is_on, struct error *err);
/* Enables the task records of the thread that was opened last. */
void perf_set_enable_task(const struct perf_set *set);
/* Enables all events of the thread, and of threads that were opened after it. */
void perf_set_enable_from(const struct perf_set *set, uint32_t thread);
/* Returns a descriptor that is readable when the ring buffer of the CPU must be read; -1: no thread is left. */
int perf_set_poll_fd(const struct perf_set *set, uint32_t cpu);
/* The thread of the descriptor has ended: another thread's descriptor is polled for the CPU from now on. */
void perf_set_poll_next(struct perf_set *set, uint32_t cpu);
/* Returns whether a recorded thread or a descendant of one still runs. Not for is_system. */
bool perf_set_has_tasks(const struct perf_set *set);
/*
 * Returns how many BPF programs are attached to a spec's tracepoint. Such a program can suppress samples for every perf user, by
 * returning 0. Returns 0 if the query is not allowed (CAP_PERFMON). PERF_EVENT_IOC_QUERY_BPF, Linux 4.17.
 */
uint32_t perf_set_foreign(const struct perf_set *set, uint32_t spec);
/* Sums what a spec counted over threads and CPUs. */
struct perf_count perf_set_count(const struct perf_set *set, uint32_t spec);
/*
 * Returns whether the kernel counts more than it delivers. It gives events such as sched_wakeup also to the task that they are
 * about (__perf_task() in include/trace/events/sched.h). There it counts them, but delivers none (seen with Linux 6.18).
 */
bool perf_set_is_inexact(const struct perf_set *set, uint32_t spec);

/* Returns the ids of a spec's events (the caller frees them). */
uint64_t *perf_set_ids(const struct perf_set *set, uint32_t spec, uint32_t *count);
