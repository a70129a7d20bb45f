/*
 * rendezvous: where the recordings of a job find each other.
 *
 * A rendezvous has two files in /tmp/iotrace-UID: NAME.lock, which one process at a time holds, and NAME.socket, at which the
 * host listens. A process holds the lock while it connects, listens or ends. So no process connects to a host that is about to
 * end.
 */
#pragma once

#include <iotrace/join.h>

/* The same as join_rendezvous_lock(), but returns NULL without a message if another process holds the lock. */
struct join_rendezvous *rendezvous_try_lock(const char *name, struct error *err);
/* Removes both files. Unlock the rendezvous afterwards. */
void rendezvous_remove(const struct join_rendezvous *rendezvous);

/* Returns a rendezvous without a lock, at which one process receives messages; NULL with a message. */
struct join_rendezvous *rendezvous_open(const char *name, struct error *err);
/* Returns a socket that receives messages from now on and does not block, or -errno with a message. */
int rendezvous_receive_at(const struct join_rendezvous *rendezvous, struct error *err);
/* Returns a socket to send to it, -ENOENT if nobody receives there, or another -errno with a message. */
int rendezvous_send_to(const struct join_rendezvous *rendezvous, struct error *err);
/* Calls back with the name of each existing socket that begins with `prefix`. */
void rendezvous_each(const char *prefix, void (*on_name)(void *context, const char *name),
		     void *context);
