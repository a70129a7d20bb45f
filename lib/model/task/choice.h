/*
 * choice: which tasks are recorded (--comm, --uid).
 *
 * Excluded threads are still followed for calls that change descriptors, directories or processes, so that the tables stay right.
 */
#pragma once

#include "state/state.h"

/* Adds a glob: only tasks whose name matches one of the globs are recorded. */
void choice_add_comm(struct model *m, str_id glob);
/* Returns whether there is a glob. */
bool choice_has_comms(const struct model *m);
/* Returns whether tasks are filtered by name or user. */
bool choice_is_partial(const struct model *m);
/* Returns whether tasks with this name are recorded. */
bool choice_wants_comm(const struct model *m, str_id name);
/* Notes from an event whether its task is recorded, if the event says it. */
void choice_note(struct model *m, uint32_t task, const struct event *event);
/* Returns whether the task is excluded. */
bool choice_leaves_out(const struct model *m, uint32_t task);
