/*
 * handle: which handle of the archive an open has.
 *
 * OTF2 readers need quadratic time in the number of definitions, so a process uses the handle again that it destroyed for the
 * same file. That can only be said when the name of the file is known.
 *
 * To a reader of the archive a handle belongs to the process that created it and to those that came from there by fork. With
 * CLONE_FILES a process also has what others opened; to it that is a handle of its own, which was there before its first use.
 */
#pragma once

#include "state/state.h"

/* See handle_assign(), for an open that has none. */
bool handle_assign_new(struct model *m, uint32_t open, bool is_due);
/*
 * Gives an open its handle, if its name is known or will never be; is_due: in any case. Returns whether it has it now, or needs
 * none. ID_NONE needs none. Nearly always it has one since long ago.
 */
static inline bool handle_assign(struct model *m, uint32_t open, bool is_due)
{
	return open == ID_NONE || m->open[open].handle != ID_NONE || m->open[open].is_left_out ||
	       handle_assign_new(m, open, is_due);
}
/* Returns the handle of an open as the process (public id) knows it; ID_NONE: its records are not wanted. */
handle_id handle_of(struct model *m, process_id process, uint32_t open);
/* The name of a description is known now: handles that could not wait for it learn it, too. */
void handle_named(struct model *m, uint32_t description);
/* The handle is destroyed, by this process: it may be used again for what is opened later. */
void handle_rest(struct model *m, handle_id id, process_id destroyer, uint64_t time);
/* The open ends. */
void handle_release(struct model *m, uint32_t open);
