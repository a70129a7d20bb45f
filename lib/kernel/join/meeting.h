/*
 * meeting: where the recordings of a job find each other.
 *
 * Two files of a name in /tmp/iotrace-UID: NAME.lock, which one process at a time holds, and NAME.socket, at which the host
 * listens. Who connects, listens or ends holds the lock: nobody comes to a host that is about to leave.
 */
#pragma once

#include <iotrace/join.h>

/* As join_meet(), but does not wait: NULL if somebody else is there, or with a sentence. */
struct join_meeting *meeting_try(const char *name, struct error *err);
/* Removes both files. The caller leaves then. */
void meeting_remove(const struct join_meeting *meeting);

/* Returns a meeting without a lock, at which one process takes messages that others send; NULL with a sentence. */
struct join_meeting *meeting_without_lock(const char *name, struct error *err);
/* Returns a socket that receives messages from now on and does not block, or -errno with a sentence. */
int meeting_receive_at(const struct join_meeting *meeting, struct error *err);
/* Returns a socket to send to it, -ENOENT if nobody receives there, or another -errno with a sentence. */
int meeting_send_to(const struct join_meeting *meeting, struct error *err);
/* Calls back with the name of each socket that there is, which begins with `prefix`. */
void meeting_each(const char *prefix, void (*on_name)(void *context, const char *name),
		  void *context);
