/*
 * live_private: the state of a recording, for the files of this folder.
 *
 * Everything is set up by live_open() in the caller's thread. From live_start() until `end` is published, the control thread
 * owns everything that is not marked as shared; before and after that, the caller does.
 */
#pragma once

#include "command/marks.h"
#include "command/target.h"
#include "control/control_server.h"
#include "live_block.h"
#include "live_bpf.h"
#include "live_joined.h"
#include "live_reopen.h"
#include "live_span.h"
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
	uint64_t begun; /* of the recording */
	uint64_t since; /* of the pause that is on */
	uint64_t sum;   /* of those that are over */
	uint64_t until; /* of --delay; 0: only a user ends it */
};

struct live {
	const struct recording *recording;  /* lent by the caller */
	const struct live_options *options; /* lent by the caller during live_open() only */
	bool is_confined;
	enum block_choice block; /* what became of the user's choice */
	struct command command;
	struct join_host *host; /* NULL: no commands join. Lent by the caller */
	struct command
		placeholder; /* a process that waits, with a host: rings need the events of one from the start */
	char *capture; /* where guests find what was recorded, if the host is killed */
	struct live_guest guest;
	struct live_selections selections;
	bool has_joined;                /* a command has */
	struct command_signals signals; /* as they were before */
	sigset_t handled;               /* what we answer */
	bool has_signals;

	int *pid_fd; /* of recording->pids; -1: look at /proc instead */
	uint32_t pid_fds;
	int *cgroup; /* of recording->cgroups */
	uint32_t cgroups;
	uint32_t *
		device; /* of recording->blocks.devices: numbers as the kernel's events have them */
	uint32_t devices;
	struct priority_nice nice;
	char old_name[16];
	char own_name
		[16]; /* of iotrace's threads, which the kernel excludes from a system recording; "": not needed */

	struct procfs proc, sys;
	struct tracefs tracefs;
	struct uprobes uprobes;
	struct ring_sources
		sources; /* that of perf, and that of the BPF programs if there are any */
	struct perf_set set;
	struct live_bpf bpf;
	struct live_block block_programs;
	struct live_spans spans;
	struct live_reopen reopen;
	uint32_t fact_event; /* index of "iotrace:fact" in info */
	struct capture_info info;
	struct facts facts; /* of the control thread: gathered for the next round */
	struct lookup_base base;
	struct lookup lookup; /* of the control thread: at the start and after data loss */
	struct lookup_thread *lookup_thread; /* for each CPU */
	uint32_t lookup_threads;
	struct spool *spool;

	int signal_fd, wake_fd, stop_fd; /* stop_fd ends the look-up threads */
	int hotplug_fd;                  /* < 0: nobody says which CPUs come */
	pthread_t control;
	bool has_control;
	uint8_t *scratch; /* a record that wraps around */
	uint64_t *head;   /* for each ring of perf: up to here this round goes */
	uint64_t rounded_at;
	uint32_t round_ms; /* from one round to the next */
	uint64_t until;    /* the recording ends then; 0: open */
	struct live_pause pause;
	struct marks marks;
	struct control_server control_server;
	uint64_t sampled_at; /* the machine, at the last time of the grid */
	uint64_t unmarked;   /* bytes put since the last end of a round */
	bool has_held;       /* there were any before that end */

	uint64_t sent_at[65],
		asked_at;      /* when a signal of kill(2), and a request to end, last counted */
	uint32_t requests;     /* to end, which were passed on to the command */
	bool is_ending;        /* the recording is to end, though what it follows may run on */
	bool is_asked_to_stop; /* by iotrace stop */

	atomic_int interrupts;   /* shared */
	atomic_bool has_ctrl_c;  /* shared */
	atomic_bool is_stopping; /* shared: live_close() has no patience */
	atomic_bool is_limited;  /* shared: --limit is reached */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum live_end end;         /* shared, with the mutex */
	bool is_begun;             /* shared, with the mutex: the control thread may go */
	struct live_places places; /* shared, with the mutex */

	char *remark[LIVE_REMARKS];
	uint32_t remarks;
};

/* Id of the event "iotrace:fact": the kernel counts its ids up from 1 and gets nowhere near. */
#define LIVE_FACT_ID ((uint64_t)1 << 62)

/* live_state.c */
void live_add_remark(struct live *live, char *text); /* taken */
/*
 * The control thread waits for its release by the caller. Later it publishes how the recording ended, and the caller waits for
 * that.
 */
void live_wait_for_begin(struct live *live);
void live_let_go(struct live *live);
void live_publish(struct live *live, enum live_end end);
void live_wait_for_end(struct live *live);
