/*
 * live_private: the state of a recording, for the files live*.c.
 *
 * Everything is set up by live_open() in the caller's thread. From live_start() until `end` is published the
 * control thread owns it all, but for what is marked as shared; after that it is the caller's again.
 */
#ifndef KERNEL_LIVE_PRIVATE_H
#define KERNEL_LIVE_PRIVATE_H

#include "facts.h"
#include "live_block.h"
#include "live_bpf.h"
#include "live_reopen.h"
#include "looker.h"
#include "perf_event.h"
#include "priority.h"
#include "procfs.h"
#include "spool.h"
#include "target.h"
#include "tracefs.h"

#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LIVE_REMARKS = 8, LIVE_ROUND_MS = 100, LIVE_RING_LEAST = 64 << 10 };

struct live_filter {
	enum fact_filter kind;
	char *glob;
};

struct live {
	const struct live_options *options; /* lent by the caller during live_open() only */
	bool is_system, is_confined, waits_for_all;
	int ready_fd; /* 0: nobody waits for the beginning */
	enum block_choice block;
	uint32_t block_mode;
	char *cwd, *argv; /* words with NUL between */
	uint32_t argv_size;
	bool is_argv_cut; /* it is longer than a fact may be */
	struct command command;
	struct command_signals signals; /* as they were before */
	sigset_t handled;               /* what we answer */
	bool has_signals;

	uint32_t *pid; /* -p */
	int *pid_fd;   /* -1: look at /proc instead */
	uint32_t pids;
	int *cgroup; /* --cgroup: descriptors */
	uint32_t cgroups;
	uint32_t *uid; /* --uid */
	uint32_t uids;
	uint32_t *device; /* --device: numbers as the kernel's events have them */
	uint32_t devices;
	struct priority_nice nice;
	char old_name[16];
	struct live_filter *filter; /* told to whoever reads the stream */
	uint32_t filters;
	char own_name
		[16]; /* of our threads, which the kernel leaves out of a system recording; "": it need not */

	struct procfs proc, sys;
	struct tracefs tracefs;
	struct perf_set set;
	struct live_bpf bpf;
	struct live_block block_source;
	struct live_reopen reopen;
	uint32_t fact_event; /* index of "iotrace:fact" in info */
	struct capture_info info;
	struct facts facts; /* of the control thread: gathered for the next round */
	struct lookup_base base;
	struct lookup lookup;  /* of the control thread: at the start and after data loss */
	struct looker *looker; /* for each CPU */
	uint32_t lookers;
	struct spool *spool;

	int signal_fd, wake_fd, stop_fd; /* stop_fd ends the lookers */
	int hotplug_fd;                  /* < 0: nobody says which CPUs come */
	pthread_t control;
	bool has_control;
	uint8_t *scratch; /* a record that wraps around */
	uint64_t *head;   /* for each ring: up to here this round goes */
	uint64_t rounded_at;
	uint32_t round_ms;             /* from one round to the next */
	uint64_t until;                /* the recording ends then; 0: open */
	uint64_t duration;             /* ns; 0: none */
	uint64_t interval, sampled_at; /* of the machine; 0: not sampled */
	uint64_t unmarked;             /* bytes put since the last end of a round */

	uint64_t sent_at[65],
		asked_at;  /* when a signal of kill(2), and a request to end, last counted */
	uint32_t requests; /* to end, which were passed on to the command */
	bool is_ending;    /* the recording is to end, though what it follows may run on */

	atomic_int interrupts;   /* shared */
	atomic_bool is_stopping; /* shared: live_close() has no patience */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum live_end end; /* shared, with the mutex */
	bool is_begun;     /* shared, with the mutex: the control thread may go */

	char *remark[LIVE_REMARKS];
	uint32_t remarks;
};

/* Id of the event "iotrace:fact": the kernel counts its ids up from 1 and gets nowhere near. */
#define LIVE_FACT_ID ((uint64_t)1 << 62)

void live_add_remark(struct live *live, char *text); /* taken */
/* live_events.c: which events. */
enum { FILTER_SIZE_MAX = 4095 }; /* the kernel takes less than a page */
int live_add_events(struct live *live, struct error *err);

/* live_setup.c: for whom they are opened, and the capture's description. */
int live_setup_cgroups(struct live *live, struct error *err);
/* Appends the processes that are in the chosen control groups now. */
void live_cgroup_processes(const struct live *live, struct procfs_numbers *pids);
int live_setup_events(struct live *live, struct error *err);
/* Opens the events for the threads of a process that are not known yet. Returns how many were new, or -errno. */
int live_attach_pass(struct live *live, uint32_t pid, struct map *known, struct error *err);
int live_setup_capture(struct live *live, struct error *err);
int live_setup_spool(struct live *live, struct error *err);

/* live_facts.c */
void live_facts_begin(struct live *live); /* where, formats, command, mounts, devices */
void live_facts_state(struct live *live); /* tasks, directories and descriptors */
void live_facts_process(struct live *live, uint32_t pid, enum lookup_reason reason);
void live_facts_on(struct live *live);  /* the events are on: counters of the devices */
void live_facts_off(struct live *live); /* they are going to be off */
void live_facts_end(struct live *live, enum live_end end);

/* live.c */
void live_stop_lookers(struct live *live);

/* live_control.c */
void *live_control(void *live);
/* Returns room in the spool, or NULL if there will be none; or puts some records there. */
void *live_room(struct live *live, uint64_t size);
void live_put(struct live *live, const void *records, uint32_t size);
/* Puts the facts that have been gathered into the spool, and the mark that ends a round. */
void live_put_facts(struct live *live);
void live_end_round(struct live *live);
/* Moves what is in the rings now. */
void live_round(struct live *live);
bool live_is_round_due(const struct live *live);

#endif
