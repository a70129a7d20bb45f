/*
 * aio_fixed: fixed files that the kernel describes when requests that use or open them end.
 *
 * A request may use a fixed file that never had a descriptor: another request opened it, or a message brought it. The kernel
 * identifies the file by an address, which each end of a request contains. The first end with this address also describes the
 * file.
 */
#pragma once

#include "state/state.h"

/* Whether only the end of the request will show its file. */
bool aio_fixed_waits(struct model *m, uint32_t op);
/* An operation on a fixed file has ended. If the end shows the file, its handle is decided. */
void aio_fixed_ended(struct model *m, uint32_t op, const struct event *event);
/* A request that opens a fixed file has ended, or has opened one and continues. */
void aio_fixed_opened(struct model *m, uint32_t op, const struct event *event);
