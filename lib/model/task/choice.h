/*
 * choice: which tasks are recorded (--comm, --uid).
 *
 * Threads that are left out are still followed for calls that change descriptors, directories or processes, so that the tables
 * stay right.
 */
#pragma once

#include "state/state.h"

/* Only tasks whose name matches this glob, or another one of these, are recorded. */
void choice_add_comm(struct model *m, str_id glob);
/* Whether there is such a glob. */
bool choice_has_comms(const struct model *m);
/* Whether only tasks of some names, or of some users, are recorded. */
bool choice_is_partial(const struct model *m);
/* Whether a task of this name is. */
bool choice_wants_comm(const struct model *m, str_id name);
/* The event may say whether its task is one of those that are recorded. */
void choice_note(struct model *m, uint32_t task, const struct event *event);
/* Whether the task is not recorded. */
bool choice_leaves_out(const struct model *m, uint32_t task);
