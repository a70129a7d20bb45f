/*
 * rendezvous: where the recordings of a job find each other.
 *
 * Two files of a name in /tmp/iotrace-UID: NAME.lock, which one process at a time holds, and NAME.socket, at which the host
 * listens. Who connects, listens or ends holds the lock: nobody comes to a host that is about to leave.
 */
#pragma once

#include <iotrace/join.h>

/* As join_rendezvous_lock(), but does not wait: NULL if somebody else is there, or with a sentence. */
struct join_rendezvous *rendezvous_try_lock(const char *name, struct error *err);
/* Removes both files. The caller leaves then. */
void rendezvous_remove(const struct join_rendezvous *rendezvous);

/* Returns a rendezvous without a lock, at which one process takes messages that others send; NULL with a sentence. */
struct join_rendezvous *rendezvous_open(const char *name, struct error *err);
/* Returns a socket that receives messages from now on and does not block, or -errno with a sentence. */
int rendezvous_receive_at(const struct join_rendezvous *rendezvous, struct error *err);
/* Returns a socket to send to it, -ENOENT if nobody receives there, or another -errno with a sentence. */
int rendezvous_send_to(const struct join_rendezvous *rendezvous, struct error *err);
/* Calls back with the name of each socket that there is, which begins with `prefix`. */
void rendezvous_each(const char *prefix, void (*on_name)(void *context, const char *name),
		     void *context);
