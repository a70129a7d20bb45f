/*
 * origin: which task, and which file, a request is for.
 *
 * The kernel says in which task something happened. A request may be inserted and issued by another one (a kworker, or
 * the task that runs the queue), so the task that queued its first bio is remembered by place. What the page cache writes
 * back no program asked for at that moment: where the record has the inode, it is booked on who wrote to that file
 * last, else on "writeback".
 */
#pragma once

#include "state/state.h"

/* A bio was queued: notes its task. */
void origin_queued(struct model *m, uint32_t device, const struct event *event);
/* A part of a bio, or the same on another device, begins elsewhere: its task is the same. */
void origin_copy(struct model *m, uint32_t device, uint64_t sector, uint32_t to,
		 uint64_t to_sector);
/* Returns who caused the request. */
struct cause origin_of(struct model *m, uint32_t device, const struct event *event);
/* A process writes to the file. */
void origin_wrote(struct model *m, file_id file, uint32_t process);
