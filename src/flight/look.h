/*
 * look: what a flight recorder sees of its triggers while records arrive.
 *
 * It decodes the records of each round as they come, not yet in order and without names. So it says only that something may be a
 * trigger. Whether it is one, and of which file, the records of the window say: see sight.h.
 */
#pragma once

#include "record/trigger.h"

#include <iotrace/capture.h>

struct look;

/* A trigger that needs no second look: a device. */
struct look_found {
	uint64_t time; /* 0: nothing was found */
	const struct trigger *trigger;
	char text[160];
};

/* Returns NULL with a message. Both arguments are lent. */
struct look *look_new(const struct capture *capture, const struct triggers *triggers,
		      struct error *err);
void look_free(struct look *look);
void look_round(struct look *look, const struct capture_round *round);
/* Looks for calls and requests that began long before this time and have not ended. */
void look_for_hangs(struct look *look, uint64_t now);
/* Returns the time until which all that happened is in the rounds that were looked at: the latest time of those before the last. 0: none. */
uint64_t look_complete(const struct look *look);
/* Returns the latest time in all of them. 0: none. */
uint64_t look_latest(const struct look *look);
/* Returns the time of the first call that may be a trigger, since the last call of this function; 0: there was none. */
uint64_t look_suspected(struct look *look);
/* Returns what was found since the last call. */
struct look_found look_take(struct look *look);
