/*
 * join: one recording for all commands of a job on a node.
 *
 * The words:
 *   meeting   a name of a user, by which the recordings of a job find each other: a lock and a socket in /tmp/iotrace-UID,
 *             a directory that only this user may enter.
 *   host      the recorder of the node: a process that listens at the meeting and records all commands that join.
 *   guest     an iotrace that was started for a command. It forks the command, hands it to the host while it waits, and lets it
 *             go when the host records it. The command keeps its parent, its terminal, its limits and its exit status.
 *   member    a guest's command, as the host knows it.
 *
 * The sockets are of AF_UNIX, with whole messages (join/message.h). The kernel says which user sent them.
 */
#pragma once

#include <stdbool.h>

struct error;
struct join_meeting;
struct join_host;

/*
 * Waits until nobody else is at the meeting with this name, and holds it. Its directory is made if there is none. Returns NULL
 * with a sentence if somebody else could enter that directory.
 */
struct join_meeting *join_meet(const char *name, struct error *err);
/* Lets others in, as soon as no child has it any more, and frees it. NULL does nothing. */
void join_leave(struct join_meeting *meeting);

/* Returns a socket to the host, -ENOENT if there is none, or another -errno with a sentence. */
int join_connect(const struct join_meeting *meeting, struct error *err);
/* Returns a socket at which guests arrive from now on, or -errno with a sentence. What an ended host left is removed. */
int join_listen(const struct join_meeting *meeting, struct error *err);

/*
 * Makes a process for the host, in a session of its own and nobody's child. Returns 0 in it: the meeting is left there, all
 * descriptors are closed but the listening socket and those of standard input (empty) and of standard output and error, which are
 * a text in memory: *log. Returns 1 in the caller's process, or -errno with a sentence.
 */
int join_fork_host(struct join_meeting *meeting, int *listener, int *log, struct error *err);

/*
 * Returns the host of a meeting, which takes the listening socket. Guests must have the same options, in the same words. `expected`
 * is how many members there will be, or 0 if that is not known. NULL with a sentence.
 */
struct join_host *join_host_new(const char *name, int listener, const char *options,
				unsigned expected, struct error *err);
/*
 * Nobody can join any more. The guests that still wait get the exit status of the host, and the first of them the
 * descriptor `log`, whose text it prints. NULL does nothing.
 */
void join_host_free(struct join_host *host, int status, int log);
