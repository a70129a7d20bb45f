/*
 * choice: which tasks, and which of their calls, are recorded (--comm, --uid, --syscalls).
 *
 * Excluded threads are still followed for calls that change descriptors, directories or processes, so that the tables stay right.
 */
#pragma once

#include "state/state.h"

/* The selection exists from now on. */
void choice_reach(struct model *m, uint32_t selection);
/* Adds a glob: only tasks whose name matches one of the globs of their selection are recorded. */
void choice_add_comm(struct model *m, uint32_t selection, str_id glob);
/* Returns whether the tasks of the process are filtered by name or user. */
bool choice_is_partial(const struct model *m, uint32_t process);
/* Returns whether tasks with this name are recorded. */
bool choice_wants_comm(const struct model *m, uint32_t process, str_id name);
/* Notes whether the task is recorded, if the event says so. */
void choice_note(struct model *m, uint32_t task, const struct event *event);
/* Returns whether the task is excluded. */
bool choice_leaves_out(const struct model *m, uint32_t task);
/*
 * The same as choice_skips_call() for recordings with different selections. The second is for the end of a call, which is not
 * counted again.
 */
bool choice_skips_begin(struct model *m, uint32_t task, call_id call);
bool choice_skips_end(const struct model *m, uint32_t task, call_id call);
/*
 * Returns whether the call is in the stream only because other selections want it. Then the call is skipped and counted, as if
 * the kernel had not recorded it.
 */
static inline bool choice_skips_call(struct model *m, uint32_t task, call_id call)
{
	return m->choice.is_ours && choice_skips_begin(m, task, call);
}
void choice_release(struct model *m);
