/*
 * meeting: where the recordings of a job find each other.
 *
 * Two files of a name in /tmp/iotrace-UID: NAME.lock, which one process at a time holds, and NAME.socket, at which the host
 * listens. Who connects, listens or ends holds the lock: nobody comes to a host that is about to leave.
 */
#ifndef KERNEL_JOIN_MEETING_H
#define KERNEL_JOIN_MEETING_H

#include <iotrace/join.h>

/* As join_meet(), but does not wait: NULL if somebody else is there, or with a sentence. */
struct join_meeting *meeting_try(const char *name, struct error *err);
/* Removes both files. The caller leaves then. */
void meeting_remove(const struct join_meeting *meeting);

#endif
