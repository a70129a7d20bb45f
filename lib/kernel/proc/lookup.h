/*
 * lookup: what /proc must say because the stream does not: which file an opened descriptor is, where a path
 * starts, which program a process now runs.
 *
 * Records of a round are shown to it as they lie in the rings; it keeps what is worth a look, once for each
 * descriptor, and then asks /proc. Every answer becomes a fact with the time before and after the question.
 * How the model decides whether to believe it is none of its business.
 */
#pragma once

#include "facts.h"
#include "link_target.h"
#include "perf/perf_event.h"

#include <iotrace/map.h>
#include <pthread.h>
#include <stdbool.h>

struct perf_event_header;

enum lookup_reason { LOOKUP_START, LOOKUP_OPENED, LOOKUP_SCANNED, LOOKUP_LOST };
enum lookup_subject {
	SUBJECT_FD,
	SUBJECT_PAIR,
	SUBJECT_ROOT,
	SUBJECT_PROGRAM,
	SUBJECT_PATH, /* strings that a call in flight points to */
};

enum {
	LOOKUP_BATCH_MAX = 4096, /* of one round; what is older is out of date */
	LOOKUP_PAIR_FDS = 256, /* a process with more descriptors is not searched for a new pipe */
	LOOKUP_PROCESSES_MAX = 1024, /* searched after data loss */
	LOOKUP_FDS_MAX = 16384,      /* of one process */
};

struct lookup_item {
	enum lookup_subject subject;
	uint32_t pid, tid;
	uint32_t fd;      /* SUBJECT_PATH: the number of the call */
	bool with_info;   /* SUBJECT_FD: the call does not say the flags */
	uint64_t path[2]; /* SUBJECT_PATH: addresses, 0: none */
	int32_t dir[2];   /* SUBJECT_PATH: the directories that they start at, or AT_FDCWD */
};

/* Where a tracepoint has the number of the call, and its result or the first argument. */
struct lookup_offsets {
	uint32_t call, value;
};

/* What all look-ups share. Set up once; what the mutex guards changes later. */
struct lookup_base {
	struct links links;
	const struct sample_layout *layout; /* of the events whose ids are in `events`; lent */
	struct map events;                  /* id of an event to its role */
	struct lookup_offsets enter, exit;
	const uint32_t *uid; /* only processes of these users are recorded; none: all. Lent */
	uint32_t uids;
	pthread_mutex_t mutex;
	struct map processes; /* pids that live, as far as the records say; with the mutex */
	bool has_lost;        /* records were lost since the last search; with the mutex */
	uint64_t searched_at;
	bool may_reopen;  /* set up: those that perf's events are taken off are wanted */
	struct map execs; /* threads that have just begun a program; with the mutex */
	struct lookup_detached *detached; /* with the mutex */
	uint32_t detacheds, detached_cap;
};

/* A process that goes on without perf's events since its exec at this time. */
struct lookup_detached {
	uint32_t pid;
	uint64_t time;
};

/* One thread's look-ups. */
struct lookup {
	struct lookup_base *base;
	struct facts *facts; /* where the answers go; lent */
	struct lookup_item *item;
	uint32_t items, item_cap;
	struct map index; /* (pid, fd) to item: the later one replaces */
	struct mounts mounts;
	struct link_target found; /* the last that was read */
	uint64_t done, gone;
};

void lookup_base_init(struct lookup_base *base, const struct procfs *proc);
void lookup_base_release(struct lookup_base *base);
/* Samples of this event are worth a look if its role says so: an exit that gave a descriptor, an enter with a path. */
void lookup_add_event(struct lookup_base *base, uint64_t id, enum perf_role role);
void lookup_add_process(struct lookup_base *base, uint32_t pid);
/* Returns whether the process is one of another user than those that are recorded. */
static inline bool lookup_is_left_out(const struct lookup_base *base, uint32_t pid)
{
	return base->uids && !procfs_is_of(base->links.proc, pid, base->uid, base->uids);
}

/* Whether there are such processes; moves at most `max` of them to `out` and returns how many. */
bool lookup_has_detached(struct lookup_base *base);
uint32_t lookup_take_detached(struct lookup_base *base, struct lookup_detached *out, uint32_t max);

/* A part of lookup_see(): COMM of an exec, MMAP, EXIT. lookup_exec.c */
void lookup_see_exec(struct lookup *lookup, const struct perf_event_header *record,
		     const uint32_t *word);

void lookup_init(struct lookup *lookup, struct lookup_base *base, struct facts *facts);
void lookup_release(struct lookup *lookup);
/* Shows one record; it is lent for the call only. */
void lookup_see(struct lookup *lookup, const struct perf_event_header *record);
/* Asks /proc for everything that was kept, the newest first, and forgets it. Returns whether there was any. */
bool lookup_run(struct lookup *lookup);
/* Records were lost that the rings do not name. */
void lookup_doubt(struct lookup_base *base);
/* Tells all open descriptors again if records were lost, but not more often than once a second. */
void lookup_search(struct lookup *lookup);
/* Everything that /proc says of a process: root, program, descriptors. */
void lookup_process(struct lookup *lookup, uint32_t pid, enum lookup_reason reason,
		    bool with_program);
