/*
 * requests: when the requests in flight began, of block devices and of asynchronous I/O.
 *
 * Records of a round come in any order, so an end may come before its begin. A begin that stays because of that is replaced by the next
 * one with the same key.
 */
#pragma once

#include "record/trigger.h"

#include <iotrace/event.h>
#include <iotrace/map.h>

struct requests {
	struct map of; /* the index by key */
	struct requests_one {
		uint64_t begin, age; /* age: when requests_hang() has told it last */
		bool is_issued;
	} * one;
	uint32_t count, cap, free; /* free: index + 1 of a chain of free ones */
};

void requests_release(struct requests *requests);
/* Takes a step of a request. Returns how long it took if this is its end; 0: it is not, or the begin is unknown. */
uint64_t requests_block(struct requests *requests, const struct event *event);
uint64_t requests_aio(struct requests *requests, const struct event *event);
/* Returns whether one that is in flight at this time has the age of a hang. Each counts once for the time of each trigger. */
bool requests_hang(struct requests *requests, uint64_t now, const struct triggers *triggers);
