/*
 * live: a recording, from opening the events to the last byte of the spool.
 *
 * This is the interface of lib/kernel, the only layer that talks to the kernel. It starts the command (or finds the
 * threads of running processes, or takes the whole machine), opens the events, empties the ring buffers into the
 * spool (a perf.data capture), looks up descriptors in /proc, and handles signals. A conversion follows the spool
 * with capture_open(path, live_available, live).
 *
 * Threads: a control thread (ring buffers, look-ups, signals, end of the command) and a writer thread (from memory
 * to the spool). The caller's thread converts. No thread of iotrace is ever recorded.
 */
#pragma once

#include <iotrace/recording.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct error;
struct join_host;
struct live;
struct place;
struct quiet;

/* The output of a recording, and decisions of the program. Lent until live_open() returns. */
struct live_options {
	const struct recording *recording; /* what is recorded; lent until live_close() */
	const struct place *place;         /* where the spool is created; NULL: at spool_path */
	const char *spool_path;            /* must not exist; also used in messages */
	uint64_t
		memory; /* the spool is in memory, with at most so many bytes: see live_forget(); 0: a file */
	bool takes_snapshots; /* live_next_ask() returns SIGUSR2 and `iotrace snapshot` */
	bool is_spool_kept;   /* the whole spool is kept, also after its conversion */
	uint64_t disk_limit;  /* of --limit: what is converted leaves the spool earlier; 0: none */
	const char *cmdline;  /* of iotrace, for the capture's header */
	const struct quiet *quiet; /* signals that the caller ignores but the command must not */
	const sigset_t *mask;      /* of the command, if the caller holds signals; else NULL */
	/* Commands that join are recorded; recording->argv is NULL then. Lent until live_close(); the control thread uses it. */
	struct join_host *host;
	/*
	 * The command is passed to the host at the other end of this socket, which is taken over, and nothing is recorded here;
	 * 0: none. join_options: the options for its recorder, as for join_host_new().
	 */
	int host_socket;
	const char *join_options;
	/* For a guest: place for an archive of the command; NULL: none. */
	const struct place *own_place;
	int *host_log; /* the text of a host that cannot start, to be printed, or -1; the caller closes it */
	bool is_confined; /* the whole process permanently drops rights and system calls: confine.h */
};

enum live_end {
	LIVE_RUNNING = -1,
	LIVE_ENDED = 0,
	LIVE_INTERRUPTED = 1,
	LIVE_FAILED = 2,
	LIVE_DETACHED = 3, /* the command or the processes of -p continue */
	LIVE_LIMITED = 4   /* live_end_at_limit() */
};

/*
 * Checks the descriptor recording.ready_fd, and hides it from the command. Call it before any file is opened, because a file that
 * is opened later could get this number. Returns 0, or -errno with a message.
 */
int live_keep_ready_fd(int fd, struct error *err);

/*
 * From now on, signals wait until live_open() can handle them: a signal must not end the process when only its work directory
 * exists. Sets `before` to the previous mask, for live_options.
 */
void live_hold_signals(sigset_t *before);
/*
 * Returns a recording whose events are open and whose command is stopped before its exec. Returns NULL with a message of at most
 * three lines that names the missing right and the command that grants it; no command ran then. The code is EINTR if Ctrl-C ended
 * the waiting command.
 */
struct live *live_open(const struct live_options *options, struct error *err);
/* Returns false for a command whose host had already ended its recording. */
bool live_is_recorded(const struct live *live);
/* Starts the threads, enables the events, and lets the command run. */
int live_start(struct live *live, struct error *err);
/* capture_available: blocks until more than `have` bytes of records are in the spool, or the end. */
uint64_t live_available(void *live, uint64_t have);
/* Waits for the same, but only until this time of the monotonic clock. Returns whether live_available() has an answer. */
bool live_await(struct live *live, uint64_t have, uint64_t until);
/* Ends the recording because of --limit; the recorded processes continue. For the thread that converts. */
void live_end_at_limit(struct live *live);
/* Returns a descriptor of the spool in memory. Lent. */
int live_spool(const struct live *live);
/* Returns the offset of the end of the last complete round in the spool. */
uint64_t live_round_end(const struct live *live);
/*
 * The records in memory before this offset (see capture_position()) are not needed any more, and the rounds until `read` have been
 * read. If nothing is forgotten for long, the kernel loses records.
 */
void live_forget(struct live *live, uint64_t offset, uint64_t read);
/*
 * Makes a round soon, with records of the calls in flight that began at least `age` ns ago. With perf, the stream has the begin of
 * each call anyway.
 */
void live_look(struct live *live, uint64_t age);
/* How a user has asked for a snapshot. */
enum live_ask { LIVE_ASK_NONE, LIVE_ASK_SIGNAL, LIVE_ASK_COMMAND };
/* Returns the next request for a snapshot, and its time. For the thread that converts; it may lag behind by some rounds. */
enum live_ask live_next_ask(struct live *live, uint64_t *time);
/* From now on, nothing is removed from the spool (see trim.h). */
void live_keep_spool(struct live *live);
/*
 * Returns how often the user asked to stop the work after the recording; 2: stop it. While a command runs, only repeated SIGTERM
 * or SIGHUP count, because signals from the terminal are for the command.
 */
int live_interrupts(const struct live *live);
/* Returns whether the user has pressed Ctrl-C on the terminal, which has shown it, since the last call. */
bool live_take_ctrl_c(struct live *live);
/* Returns whether the command still runs. For the caller, once live_ended() is not LIVE_RUNNING. */
bool live_command_runs(struct live *live);
enum live_end live_ended(const struct live *live);
/* Returns a remark worth a line ("rings of 512 KiB, not 4 MiB: ..."), or NULL after the last. */
const char *live_remark(const struct live *live, uint32_t index);
/*
 * Waits until the command ends and returns its wait status, or -1 for -p. Signals are passed on to it meanwhile. exec_errno: the
 * error if execve failed (the caller exits with 126 or 127).
 */
int live_wait(struct live *live, int *exec_errno);
/*
 * For a guest whose command has ended: waits until the host has finished its part. Returns the exit status of the host. *log is
 * a text of the host to be printed, or -1; the caller closes it.
 */
int live_leave_host(struct live *live, int *log);
/* Returns the place for the archive of a command that joined, which the caller then owns; NULL if it has none. */
struct place *live_take_place(struct live *live, uint32_t pid);
/* Stops, closes and frees everything. Returns 0 or the first error of the recording (for example a full disk). */
int live_close(struct live *live, struct error *err);
