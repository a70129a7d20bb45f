/*
 * foreign: 32-bit programs, and 32-bit calls of 64-bit programs.
 *
 * Their calls have the numbers of another table. They are counted, and not decoded.
 */
#pragma once

#include "state/state.h"

/* The process began a program of 32 bits, or one of 64 bits. */
void foreign_set(struct model *m, uint32_t process, bool is_foreign);
/* The process was found when the recording began. */
void foreign_found(struct model *m, uint32_t process, bool is_foreign);
/* The same as foreign_set(), of an exec in the stream. */
void foreign_program(struct model *m, const struct event *event);
/* A task of a process with is_foreign makes a call. */
void foreign_call(struct model *m, uint32_t task);
/* The kernel says that a call is one of 32 bits. */
void foreign_event(struct model *m, const struct event *event);
