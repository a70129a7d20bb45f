/*
 * lane: io_events that happen beside the system calls of their location.
 *
 * The records of a call are emitted when it ends, with the time of its begin. What happens meanwhile on the same
 * location waits in its lane, and takes its place among them: it leaves with the next record of the location that is
 * not earlier. So time never falls, and whether a call is in flight need not be known: in a stream where calls come as
 * one record it is not.
 *
 * The lane of a thread that makes no calls is straight: nothing waits there.
 */
#ifndef IOTRACE_MODEL_LANE_H
#define IOTRACE_MODEL_LANE_H

#include "state.h"

/*
 * Puts an event on event->thread; aio: whose handle it has, or ID_NONE: open's. One that is told late takes its place
 * among those that wait.
 */
void lane_put(struct model *m, const struct io_event *event, uint32_t open, uint32_t aio);
/* Returns the earliest time that an event on the location may have: of `time` and what has left. */
uint64_t lane_earliest(const struct model *m, thread_id location, uint64_t time);
/* Lets leave what comes before a record with this time, which is raised if more than that has left. */
void lane_pass(struct model *m, struct io_event *event);
/* Whether the location is that of a thread that makes no calls. */
void lane_set_straight(struct model *m, thread_id location, bool is_straight);
void lane_end_all(struct model *m);
void lane_release(struct model *m);

#endif
