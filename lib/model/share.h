/*
 * share: handles of processes that have a descriptor in common, and are not related by it.
 *
 * To a reader of the archive a handle belongs to the process that created it and to those that came from there by
 * fork. With CLONE_FILES a process also has what others opened; to it that is a handle of its own, which was there
 * before its first use.
 */
#ifndef IOTRACE_MODEL_SHARE_H
#define IOTRACE_MODEL_SHARE_H

#include "state.h"

/* Returns the handle of an open that has one, as the process (public id) knows it. */
handle_id share_handle(struct model *m, process_id process, uint32_t open);
/* The open has a name now: those of its handles learn it that have none. */
void share_named(struct model *m, uint32_t open);
/* The open ends. */
void share_end(struct model *m, uint32_t open);

#endif
