/*
 * foreign: 32-bit programs, and 32-bit calls of 64-bit programs.
 *
 * Their calls use another table of numbers. iotrace counts them and does not decode them.
 */
#pragma once

#include "state/state.h"

/* The process executes a 32-bit or a 64-bit program. */
void foreign_set(struct model *m, uint32_t process, bool is_foreign);
/* The same for a process that was running when the recording began. */
void foreign_found(struct model *m, uint32_t process, bool is_foreign);
/* The same as foreign_set(), for an exec in the stream. */
void foreign_program(struct model *m, const struct event *event);
/* A task of a process with is_foreign makes a call. */
void foreign_call(struct model *m, uint32_t task);
/* The kernel has reported a 32-bit call. */
void foreign_event(struct model *m, const struct event *event);
