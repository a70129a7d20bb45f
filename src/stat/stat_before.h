/*
 * stat_before: FUSE requests that began before the recording. No event says so, but the kernel counts what waits for an answer on each
 * connection: what waits and was not seen began before. It can only become less.
 */
#pragma once

#include "stat_names.h"

struct frames;

struct stat_before {
	const struct mount_names *mounts; /* lent */
	uint64_t start;                   /* of the recording, so they are at least as old */
	uint32_t connection[STAT_CONNECTIONS], count[STAT_CONNECTIONS], connections;
};

/* In place of an operation. */
enum { STAT_BEFORE = 0xfffe };

/* Looks when counting begins. start: CLOCK_MONOTONIC, ns. */
void stat_before_begin(struct stat_before *before, const struct mount_names *mounts,
		       uint64_t start);
/* Looks again, when all that was seen and is open at the end of an interval is in the frames. is_by_owner: groups are connections. */
void stat_before_look(struct stat_before *before, struct frames *frames, bool is_by_owner);
/* Adds them to what is open at `now`. */
void stat_before_open(const struct stat_before *before, struct frames *frames, uint64_t now,
		      bool is_by_owner);
