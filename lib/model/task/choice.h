/*
 * choice: which tasks, and which of their calls, are recorded (--comm, --uid, --syscalls).
 *
 * Excluded threads are still followed for calls that change descriptors, directories or processes, so that the tables stay right.
 */
#pragma once

#include "state/state.h"

/* The selection is there from now on. */
void choice_reach(struct model *m, uint32_t selection);
/* Adds a glob: only tasks whose name matches one of the globs of their selection are recorded. */
void choice_add_comm(struct model *m, uint32_t selection, str_id glob);
/* Returns whether the tasks of the process are filtered by name or user. */
bool choice_is_partial(const struct model *m, uint32_t process);
/* Returns whether tasks with this name are recorded. */
bool choice_wants_comm(const struct model *m, uint32_t process, str_id name);
/* Notes from an event whether its task is recorded, if the event says it. */
void choice_note(struct model *m, uint32_t task, const struct event *event);
/* Returns whether the task is excluded. */
bool choice_leaves_out(const struct model *m, uint32_t task);
/* The same as choice_skips_call() in recordings whose selections differ; and of an end, which is not counted again. */
bool choice_skips_begin(struct model *m, uint32_t task, call_id call);
bool choice_skips_end(const struct model *m, uint32_t task, call_id call);
/*
 * Returns whether the call is in the stream only because other selections want it: it is as if the kernel had not recorded it. Counts it
 * then.
 */
static inline bool choice_skips_call(struct model *m, uint32_t task, call_id call)
{
	return m->choice.is_ours && choice_skips_begin(m, task, call);
}
void choice_release(struct model *m);
