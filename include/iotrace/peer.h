/*
 * peer: a socket for users of this machine, at which each gets a process of its own.
 *
 * The kernel says who has connected, so what a user asks for can be limited to what belongs to him.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct error;
struct peers;

enum { PEERS_MOST = 8, PEER_REQUEST = 256 };

/* Creates the socket, at which anybody may connect. Replaces one that was left there. Returns NULL with a message. */
struct peers *peers_open(const char *path, struct error *err);
void peers_close(struct peers *peers);
/* In a process that was forked. */
void peers_leave(const struct peers *peers);
/* Returns a descriptor that can be read when somebody has connected. */
int peers_fd(const struct peers *peers);
/*
 * Accepts one. In a process of its own, whose standard output and standard error are the connection, it calls run() with the user and the
 * line that he has sent; the process ends with the status that this returns. More than PEERS_MOST are refused.
 */
void peers_serve(struct peers *peers, int (*run)(void *context, uint32_t uid, const char *request),
		 void *context);
/* Collects processes that have ended. */
void peers_reap(struct peers *peers);

/* Connects and sends a line. Returns a descriptor for the answer, or -errno with a message. */
int peer_ask(const char *path, const char *request, struct error *err);
