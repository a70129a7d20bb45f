/* aio_fd: requests that open and close descriptors. */
#pragma once

#include "state/state.h"

/* A request to close is submitted: its descriptor counts as closed at once, as with close(). */
void aio_fd_take(struct model *m, uint32_t op);
/*
 * A request that opens, closes or changes fixed files was submitted, or has ended with a result. The change takes effect at an
 * unknown time in between, so the files are unknown from its submission on.
 */
void aio_fd_forget_fixed(struct model *m, uint32_t op, int64_t result);
/* A request has ended: handles the descriptors that it has closed. */
void aio_fd_closed(struct model *m, uint32_t op, const struct event *event);
void aio_fd_opened(struct model *m, uint32_t op, const struct event *event);
