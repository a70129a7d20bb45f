/*
 * op: the effect of a system call, and its io_events.
 *
 * op_enter() resolves the arguments when the call begins, because another thread may change their meaning before the end. op_exit()
 * applies the result and emits the records of the call, from ENTER to LEAVE.
 */
#pragma once

#include "state/state.h"

void op_enter(struct model *m, const struct event *event);
/* Returns the thread that executed a program and became the first thread of its process, or ID_NONE. */
uint32_t op_exit(struct model *m, const struct event *event);
/* Processes a call whose begin and end are in one event, which arrives at the end. */
void op_pair(struct model *m, const struct event *event);
/* The process has a new program, although its exec may still be in flight. */
void op_replace(struct model *m, const struct event *event);
/* Sets a path of the call in flight that was read during the call. */
void op_path(struct model *m, uint32_t task, uint32_t index, struct event_string path,
	     struct event_string base);
/* Sets the type of lock that the call in flight requests. */
void op_lock(struct model *m, const struct event *event);
/* Ends the task's call in flight, if any. Its end will not arrive. */
void op_cancel(struct model *m, uint32_t task, uint64_t time, enum io_end why);
