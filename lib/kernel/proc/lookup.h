/*
 * lookup: look-ups in /proc for information that the stream lacks: the file of a new descriptor, the start directory of a path,
 * the program of a process.
 *
 * It gets the records of a round from the ring buffers, collects the look-ups that they need, once for each descriptor, and then
 * reads /proc. Each answer becomes a fact with the times before and after the look-up. The model decides whether to use it.
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
	SUBJECT_PATH, /* path arguments of a call in flight */
};

enum {
	LOOKUP_BATCH_MAX = 4096, /* maximum for one round; older ones are outdated */
	LOOKUP_PAIR_FDS = 256, /* a process with more descriptors is not searched for a new pipe */
	LOOKUP_PROCESSES_MAX = 1024, /* maximum number that is scanned after data loss */
	LOOKUP_FDS_MAX = 16384,      /* of one process */
};

struct lookup_item {
	enum lookup_subject subject;
	uint32_t pid, tid;
	uint32_t fd;      /* SUBJECT_PATH: the number of the call */
	bool with_info;   /* SUBJECT_FD: the call does not contain the flags */
	uint64_t path[2]; /* SUBJECT_PATH: addresses, 0: none */
	int32_t dir[2];   /* SUBJECT_PATH: descriptors of their start directories, or AT_FDCWD */
};

/* Offsets in a tracepoint: of the call number, and of the result or the first argument. */
struct lookup_offsets {
	uint32_t call, value;
};

/* State that all look-ups share. After the set-up, only fields under the mutex change. */
struct lookup_base {
	struct links links;
	const struct sample_layout *layout; /* of the events whose ids are in `events`; lent */
	struct map events;                  /* maps the id of an event to its role */
	struct lookup_offsets enter, exit;
	const uint32_t *uid; /* only processes of these users are recorded; empty: all. Lent */
	uint32_t uids;
	pthread_mutex_t mutex;
	struct map processes; /* pids that are alive according to the records; under the mutex */
	bool has_lost;        /* records were lost since the last scan; under the mutex */
	uint64_t searched_at;
	bool may_reopen;  /* collect processes that lost perf's events at an exec */
	struct map execs; /* threads that have just executed a program; under the mutex */
	struct lookup_detached *detached; /* with the mutex */
	uint32_t detacheds, detached_cap;
};

/* A process that runs without perf's events since its exec at this time. */
struct lookup_detached {
	uint32_t pid;
	uint64_t time;
};

/* One thread's look-ups. */
struct lookup {
	struct lookup_base *base;
	struct facts *facts; /* receives the answers; lent */
	struct lookup_item *item;
	uint32_t items, item_cap;
	struct map index; /* maps (pid, fd) to an item; a later look-up replaces an earlier one */
	struct mounts mounts;
	struct link_target found; /* the last link that was read */
	uint64_t done, gone;
};

void lookup_base_init(struct lookup_base *base, const struct procfs *proc);
void lookup_base_release(struct lookup_base *base);
/* Registers an event. Its role decides about look-ups: an end that returned a descriptor, a begin with a path. */
void lookup_add_event(struct lookup_base *base, uint64_t id, enum perf_role role);
void lookup_add_process(struct lookup_base *base, uint32_t pid);
/* Returns whether the process belongs to a user who is not recorded. */
static inline bool lookup_is_excluded(const struct lookup_base *base, uint32_t pid)
{
	return base->uids && !procfs_is_of(base->links.proc, pid, base->uid, base->uids);
}

/* Whether processes lost perf's events; moves at most `max` of them to `out` and returns how many. */
bool lookup_has_detached(struct lookup_base *base);
uint32_t lookup_take_detached(struct lookup_base *base, struct lookup_detached *out, uint32_t max);

/* A part of lookup_see(): COMM of an exec, MMAP, EXIT. lookup_exec.c */
void lookup_see_exec(struct lookup *lookup, const struct perf_event_header *record,
		     const uint32_t *word);

void lookup_init(struct lookup *lookup, struct lookup_base *base, struct facts *facts);
void lookup_release(struct lookup *lookup);
/* Processes one record, which is lent for the call. */
void lookup_see(struct lookup *lookup, const struct perf_event_header *record);
/* Does all collected look-ups, the newest first. Returns whether there were any. */
bool lookup_run(struct lookup *lookup);
/* Notes a loss of records that is not in the ring buffers. */
void lookup_doubt(struct lookup_base *base);
/* Looks up all open descriptors again if records were lost, at most once a second. */
void lookup_search(struct lookup *lookup);
/* Looks up root, program and descriptors of a process. */
void lookup_process(struct lookup *lookup, uint32_t pid, enum lookup_reason reason,
		    bool with_program);
