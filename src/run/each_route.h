/*
 * each_route: finds the command of an event, if several commands are recorded together.
 *
 * An event belongs to the command that its process descends from. Events without a process (machine, mounts, losses) belong to
 * all.
 */
#pragma once

#include <iotrace/event.h>
#include <iotrace/map.h>

enum { ROUTE_ALL = UINT32_MAX - 1, ROUTE_NONE = UINT32_MAX };

/* All zero: no commands. */
struct each_route {
	struct map part_of_process;
	bool has_loss; /* the begin of a process may have been lost, so processes may be unknown */
	uint64_t unknown; /* number of calls of unknown processes */
};

/* The process, and all processes that it forks from now on, belong to this part. */
void each_route_add(struct each_route *route, uint32_t pid, uint32_t part);
/* Returns the part that the event belongs to, ROUTE_ALL or ROUTE_NONE. */
uint32_t each_route_of(struct each_route *route, const struct event *event);
/* Returns whether commands that come later need the fact. */
bool each_route_is_lasting(const struct event *event);
void each_route_release(struct each_route *route);
