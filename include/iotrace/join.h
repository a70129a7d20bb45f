/*
 * join: one recording for all commands of a job on a node.
 *
 * Terms:
 *   rendezvous a lock and a socket with one name in /tmp/iotrace-UID, a directory that only this user may enter. The recordings
 *             of a job find each other there.
 *   host      the recorder of the node: a process that listens at the rendezvous and records all commands that join.
 *   guest     an iotrace that was started for a command. It forks the command, asks the host to record it, and lets it run when
 *             the host does. The command keeps its parent, terminal, limits and exit status.
 *   member    the command of a guest, from the host's view.
 *   selection what a member wants recorded of its processes: --path, --exclude-path, --comm, --syscalls. Members may have different
 *             ones. All other options are those of the recorder, and the same for all members.
 *
 * The sockets are AF_UNIX sockets with whole messages (message/message.h). The kernel reports which user sent each message.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;
struct join_rendezvous;
struct join_host;

/*
 * Waits for the lock of the rendezvous with this name, and takes it. Creates the directory if it does not exist. Returns NULL
 * with a message if other users could enter that directory.
 */
struct join_rendezvous *join_rendezvous_lock(const char *name, struct error *err);
/* Releases the lock, as soon as no child holds it any more, and frees the rendezvous. NULL is fine. */
void join_rendezvous_unlock(struct join_rendezvous *rendezvous);

/* Returns a socket to the host, -ENOENT if there is no host, or another -errno with a message. */
int join_connect(const struct join_rendezvous *rendezvous, struct error *err);
/* Returns a listening socket for guests, or -errno with a message. Removes the socket of a host that has ended. */
int join_listen(const struct join_rendezvous *rendezvous, struct error *err);

/* Descriptors that the host needs. In its process, they may get other numbers. */
struct join_kept {
	int *fd;
	uint32_t count;
};

/*
 * Creates the process of the host, in its own session and not as a child. Returns 0 in it: there the rendezvous is released, and
 * all descriptors are closed except those in `kept`, the listening socket, standard input (empty), and standard output and error, which write to a
 * text in memory (*log). Returns 1 in the process of the caller, or -errno with a message.
 */
int join_fork_host(struct join_rendezvous *rendezvous, int *listener, int *log,
		   const struct join_kept *kept, struct error *err);

/*
 * Returns the host of a rendezvous; it takes over the listening socket. `options` are those that all guests must have in common,
 * one a line: "--source=perf". `expected` is the number of members that will join; 0: unknown. Returns NULL with a message on
 * failure.
 */
struct join_host *join_host_new(const char *name, int listener, const char *options,
				unsigned expected, struct error *err);
/*
 * Ends the host: no guest can join any more. Waiting guests get the exit status of the host, and the first of them also the
 * descriptor `log`, whose text it prints. If the recording ended before its members, the host stays until they have ended: commands
 * that come meanwhile run without being recorded. NULL is fine.
 */
void join_host_free(struct join_host *host, int status, int log);
