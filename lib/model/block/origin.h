/*
 * origin: the task that caused a request, and its file.
 *
 * An event has the task in which it happened. Another task (a kworker, or the one that runs the queue) may insert and issue a request,
 * so the task that queued its first bio is stored by device and sector. Writeback of the page cache is attributed to the task that
 * wrote last to the file, if the record has the inode, and otherwise to "writeback".
 */
#pragma once

#include "state/state.h"

/* A bio was queued: stores its task. */
void origin_queued(struct model *m, uint32_t device, const struct event *event);
/* A part of a bio, or the bio on another device, begins at another sector; it has the same task. */
void origin_copy(struct model *m, uint32_t device, uint64_t sector, uint32_t to,
		 uint64_t to_sector);
/* Returns the task that caused the request. */
struct cause origin_of(struct model *m, uint32_t device, const struct event *event);
/* A task writes to the file. */
void origin_wrote(struct model *m, file_id file, uint32_t task);
