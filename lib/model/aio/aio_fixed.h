/*
 * aio_fixed: fixed files of rings that the kernel itself tells of, at the ends of requests that used or opened them.
 *
 * A request may have no descriptor behind its fixed file: another request opened it, or a message brought it. The kernel has a name
 * of its own for the file. The end of a request has this name, and the first end that has it has the file, too.
 */
#pragma once

#include "state/state.h"

/* Whether only the end of the request will say which file it has. */
bool aio_fixed_waits(struct model *m, uint32_t op);
/* An operation on a fixed file has ended: it is decided, if the end says the file. */
void aio_fixed_ended(struct model *m, uint32_t op, const struct event *event);
/* A request that opens a fixed file has ended, or goes on. */
void aio_fixed_opened(struct model *m, uint32_t op, const struct event *event);
