/*
 * live_state: the state of a recording, for all files whose names begin with live_.
 *
 * Everything is set up by live_open() in the caller's thread. From live_start() until `end` is published, the control thread
 * owns everything that is not marked as shared; before and after that, the caller does.
 */
#pragma once

#include "command/marks.h"
#include "command/target.h"
#include "control/control_server.h"
#include "live_busy.h"
#include "live_joined.h"
#include "live_sources.h"
#include "perf/perf_event.h"
#include "perf/tracefs.h"
#include "perf/uprobes.h"
#include "proc/facts.h"
#include "proc/lookup_thread.h"
#include "proc/procfs.h"
#include "rights/priority.h"
#include "ring/ring_source.h"
#include "ring/spool.h"

#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LIVE_REMARKS = 8, LIVE_ROUND_MS = 100, LIVE_RING_LEAST = 64 << 10 };

/* Times of the monotonic clock, in ns. See live_request.h. */
struct live_pause {
	bool is_on;
	uint64_t begun; /* begin of the recording */
	uint64_t since; /* begin of the current pause */
	uint64_t sum;   /* duration of all earlier pauses */
	uint64_t until; /* end of --delay; 0: only a user ends the pause */
};

struct live {
	const struct recording *recording;  /* lent by the caller, or `uncounted` */
	struct recording uncounted;         /* see recording.records_uncounted */
	const struct live_options *options; /* lent by the caller during live_open() only */
	bool is_confined;
	enum block_choice block; /* the user's choice, or what replaces it */
	struct command command;
	struct join_host *host; /* NULL: no commands can join. Lent by the caller */
	/* With a host: a waiting process, because rings need the events of some process from the start. */
	struct command placeholder;
	char *capture; /* where guests find the recorded data if the host is killed */
	struct live_guest guest;
	struct live_selections selections;
	bool has_joined;                /* a command has joined */
	struct command_signals signals; /* signal handling before the recording */
	sigset_t handled;               /* the signals that iotrace handles */
	bool has_signals;

	int *pid_fd; /* descriptors of recording->pids; -1: /proc is read instead */
	uint32_t pid_fds;
	int *cgroup; /* descriptors of recording->cgroups */
	uint32_t cgroups;
	uint32_t *device; /* numbers of recording->blocks.devices, as in the kernel's events */
	uint32_t devices;
	struct priority_nice nice;
	char old_name[16];
	/* Name of iotrace's threads, which the kernel excludes from a system recording; "": not needed. */
	char own_name[16];

	struct procfs proc, sys;
	struct tracefs tracefs;
	struct uprobes uprobes;
	struct ring_sources sources; /* the sources: perf, and the BPF programs if there are any */
	struct perf_set set;
	struct live_bpf bpf;
	struct live_block block_programs;
	struct live_busy busy;
	struct live_spans spans;
	struct live_reopen reopen;
	uint32_t fact_event; /* index of "iotrace:fact" in info */
	struct capture_info info;
	struct facts facts; /* facts for the next round. Of the control thread */
	struct lookup_base base;
	struct lookup lookup; /* for the start and after data loss. Of the control thread */
	struct lookup_thread *lookup_thread; /* for each CPU */
	uint32_t lookup_threads;
	struct spool *spool;
	int spool_fd; /* of a spool in memory; -1: it is a file */

	int signal_fd, wake_fd, stop_fd; /* stop_fd ends the look-up threads */
	int hotplug_fd;                  /* < 0: CPUs that come online are not noticed */
	pthread_t control;
	bool has_control;
	uint8_t *scratch; /* for a record that wraps around */
	uint64_t *head;   /* the head of each perf ring in this round */
	uint64_t rounded_at;
	uint32_t round_ms; /* time from one round to the next */
	uint64_t until;    /* the recording ends at this time; 0: no limit */
	struct live_pause pause;
	struct marks marks;
	struct control_server control_server;
	uint64_t sampled_at; /* fixed time of the last sample of the machine */
	uint64_t unmarked;   /* bytes in the spool since the last end of a round */
	bool has_held;       /* there were records before that end */

	uint64_t sent_at[65],
		asked_at;  /* when a signal of kill(2), or a request to end, last counted */
	uint32_t requests; /* requests to end that were passed on to the command */
	bool is_ending;    /* the recording must end although followed processes may still run */
	bool is_asked_to_stop; /* by iotrace stop */

	/* Both threads use these. */
	atomic_int interrupts;
	atomic_bool has_ctrl_c;
	atomic_bool is_stopping; /* live_close() must not wait */
	atomic_bool is_limited;  /* --limit is reached */
	bool takes_snapshots;
	atomic_uint_least64_t
		wanted_age; /* of calls in flight that live_look() wants, + 1; 0: none */
	/* Time of the last request of each kind that live_next_ask() has not returned yet; 0: none. */
	atomic_uint_least64_t asked[LIVE_ASK_COMMAND + 1];
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum live_end end;         /* shared, with the mutex */
	bool is_begun;             /* shared, with the mutex: the control thread may begin */
	struct live_places places; /* shared, with the mutex */

	char *remark[LIVE_REMARKS];
	uint32_t remarks;
};

/* Id of the event "iotrace:fact". The kernel's ids count up from 1 and never become so large. */
#define LIVE_FACT_ID ((uint64_t)1 << 62)

/* live_state.c */
void live_add_remark(struct live *live, char *text); /* taken */
/*
 * The control thread waits until the caller releases it. Later it publishes how the recording ended, and the caller waits for
 * that.
 */
void live_wait_for_begin(struct live *live);
void live_let_go(struct live *live);
void live_publish(struct live *live, enum live_end end);
void live_wait_for_end(struct live *live);
