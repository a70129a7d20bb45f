/*
 * op: what a system call did, and the io_events that say so.
 *
 * op_enter() notes what the arguments meant when the call began (another thread may change it before
 * the end); op_exit() applies the result and emits the records of the call, from ENTER to LEAVE.
 */
#pragma once

#include "state/state.h"

void op_enter(struct model *m, const struct event *event);
/* Returns the thread that executed a program in the place of the first of its process, or ID_NONE. */
uint32_t op_exit(struct model *m, const struct event *event);
/* A call that the kernel paired: begin and end in one event, which comes when it ended. */
void op_pair(struct model *m, const struct event *event);
/* The process has its new program before the exec ends that is in flight, if one is. */
void op_replace(struct model *m, const struct event *event);
/* Notes a path of the call in flight, read while it was. */
void op_path(struct model *m, uint32_t task, uint32_t index, struct event_string path,
	     struct event_string base);
/* Notes the type of the lock that the call in flight asks for. */
void op_lock(struct model *m, const struct event *event);
/* Ends the call in flight of a task, if any, whose exit will not come. */
void op_cancel(struct model *m, uint32_t task, uint64_t time, enum io_end why);
