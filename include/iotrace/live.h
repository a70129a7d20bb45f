/*
 * live: a recording, from the opening of the events to the last byte of the spool.
 *
 * The only impure layer's face to the rest. It starts the command (or finds the threads of running processes, or
 * takes all of the machine),
 * opens the events, drains the rings into a spool file that is a perf.data capture, looks descriptors up in
 * /proc, and answers signals. A conversion follows the spool with capture_open(path, live_available, live).
 *
 * Threads: a control thread (rings, look-ups, signals, the command's end), a writer thread (memory queue to spool).
 * The caller's thread converts. No thread of iotrace is ever recorded.
 */
#pragma once

#include <iotrace/recording.h>
#include <stdbool.h>
#include <stdint.h>

struct error;
struct join_host;
struct live;
struct place;
struct quiet;

/* Where a recording goes, and what the program around it decides. Lent until live_open() returns. */
struct live_options {
	const struct recording *recording; /* what is recorded; lent until live_close() */
	const struct place *place;         /* where the spool is made; NULL: at spool_path */
	const char *spool_path;            /* created new; names the spool in sentences */
	bool is_spool_kept;                /* all of it, though it is converted meanwhile */
	const char *cmdline;               /* of iotrace, for the capture's header */
	const struct quiet *quiet;         /* what the caller ignores and the command shall not */
	/* Commands that join are recorded, and recording->argv is NULL. Lent until live_close(), and used by the control thread. */
	struct join_host *host;
	/*
	 * The command is handed to the host at the other end of this socket, which is taken, and nothing is recorded here;
	 * 0: there is none. join_options: what join_host_new() had.
	 */
	int host_socket;
	const char *join_options;
	int *host_log; /* what the host says if it cannot begin: a text to be printed, or -1; the caller closes it */
	bool is_confined; /* the whole process gives up rights and system calls, for good: confine.h */
};

enum live_end {
	LIVE_RUNNING = -1,
	LIVE_ENDED = 0,
	LIVE_INTERRUPTED = 1,
	LIVE_FAILED = 2,
	LIVE_DETACHED = 3 /* the command or the processes of -p run on */
};

/*
 * Checks the descriptor for recording.ready_fd, and keeps it from the command. To be called before anything is opened, since
 * a number that is not open would be that of the next file. Returns 0, or -errno with a sentence.
 */
int live_keep_ready_fd(int fd, struct error *err);

/*
 * Returns a recording whose events are open and whose command waits to be released, or NULL with a sentence
 * (three lines at most) that says which right is missing and the command that gives it. Nothing ran. The code is
 * EINTR if Ctrl-C ended the waiting command.
 */
struct live *live_open(const struct live_options *options, struct error *err);
/* Starts the threads, switches the events on, lets the command go. */
int live_start(struct live *live, struct error *err);
/* capture_available: blocks until more than `have` bytes of records are in the spool, or the end. */
uint64_t live_available(void *live, uint64_t have);
/* Ends the recording; what it follows runs on. For the thread that converts; may be called again. */
void live_end(struct live *live);
/* What was read is not cut out of the spool any more (see trim.h). */
void live_keep_spool(struct live *live);
/*
 * Returns how often the user asked to stop what comes after the recording; 2: stop it. While a command runs, only
 * insistent SIGTERM or SIGHUP count: the terminal's signals are the command's affair.
 */
int live_interrupts(const struct live *live);
/* Returns whether the command still runs. For the caller, once live_ended() is not LIVE_RUNNING. */
bool live_command_runs(struct live *live);
enum live_end live_ended(const struct live *live);
/* Returns a remark worth a line ("rings of 512 KiB, not 4 MiB: ..."), or NULL after the last. */
const char *live_remark(const struct live *live, uint32_t index);
/*
 * Waits for the command, however long it runs on, and returns its wait status, or -1 for -p. Signals are passed on
 * to it meanwhile. exec_errno: execve failed with that errno (the caller exits with 126 or 127).
 */
int live_wait(struct live *live, int *exec_errno);
/*
 * Of a command that was handed to a host, when it has ended: waits until the host has done all that it does for it. Returns the
 * exit status of the host; *log is a text of the host's to be printed, or -1; the caller closes it.
 */
int live_leave_host(struct live *live, int *log);
/* Stops what still runs, closes, frees. Returns 0 or the first trouble of the recording (spool: no space left). */
int live_close(struct live *live, struct error *err);
