/*
 * handle: assigns handles of the archive to opens.
 *
 * OTF2 readers need quadratic time in the number of definitions, so a process reuses a handle that it destroyed for the same file. This
 * can only be decided when the name of the file is known.
 *
 * For a reader of the archive, a handle belongs to the process that created it and to the processes forked from it. With CLONE_FILES a
 * process also has descriptors that others opened; these get a pre-created handle of their own in this process.
 */
#pragma once

#include "state/state.h"

/* See handle_assign(); for an open without a handle. */
bool handle_assign_new(struct model *m, uint32_t open, bool is_due);
/*
 * Assigns a handle to an open, if its name is known or will never be known; is_due: in any case. Returns whether the open now has a
 * handle or needs none. ID_NONE needs none.
 */
static inline bool handle_assign(struct model *m, uint32_t open, bool is_due)
{
	return open == ID_NONE || m->open[open].handle != ID_NONE || m->open[open].is_excluded ||
	       handle_assign_new(m, open, is_due);
}
/* Returns the handle of an open in a process (public id); ID_NONE: its records are excluded. */
handle_id handle_of(struct model *m, process_id process, uint32_t open);
/* The name of a description is now known: sets it for handles that were assigned before. */
void handle_named(struct model *m, uint32_t description);
/* The process has destroyed the handle; it may be reused for a later open. */
void handle_set_idle(struct model *m, handle_id id, process_id destroyer, uint64_t time);
/* The open ends. */
void handle_release(struct model *m, uint32_t open);
