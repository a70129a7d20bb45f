/*
 * who: which task, and which file, a request is for.
 *
 * The kernel says in which task something happened. A request may be inserted and issued by another one (a kworker, or
 * whoever runs the queue), so the task that queued its first bio is remembered by place. What the page cache writes
 * back no program asked for at that moment: where the record has the inode, it is booked on who wrote to that file
 * last, else on "writeback".
 */
#ifndef IOTRACE_MODEL_WHO_H
#define IOTRACE_MODEL_WHO_H

#include "state.h"

/* Only tasks whose name matches this glob, or another one of these, are recorded. */
void who_want(struct model *m, str_id glob);
/* Whether there is such a glob. */
bool who_wants_names(const struct model *m);
/* Whether only tasks of some names, or of some users, are recorded. */
bool who_is_choosy(const struct model *m);
/* Whether a task of this name is. */
bool who_is_wanted(const struct model *m, str_id name);
/* Whether the choice of names or users leaves this task out. */
bool who_is_unwanted(const struct model *m, uint32_t task);
/* A bio was queued: notes its task. */
void who_queued(struct model *m, uint32_t device, const struct event *event);
/* A part of a bio, or the same on another device, begins elsewhere: its task is the same. */
void who_copy(struct model *m, uint32_t device, uint64_t sector, uint32_t to, uint64_t to_sector);
/* Returns who caused the request. */
struct who who_of(struct model *m, uint32_t device, const struct event *event);
/* A process writes to the file. */
void who_wrote(struct model *m, file_id file, uint32_t process);

#endif
