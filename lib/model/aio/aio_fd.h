/* aio_fd: requests that open and close descriptors. */
#pragma once

#include "state/state.h"

/* A request to close is taken: its descriptor counts as closed at once, as that of close() does. */
void aio_fd_take(struct model *m, uint32_t op);
/*
 * A request is taken, or has ended with a result, that opens, closes or changes fixed files. Nobody says when in between that
 * happens, nor which file it is: it is not known from the first of the two on.
 */
void aio_fd_forget_fixed(struct model *m, uint32_t op, int64_t result);
/* Requests have ended. */
void aio_fd_closed(struct model *m, uint32_t op, const struct event *event);
void aio_fd_opened(struct model *m, uint32_t op, const struct event *event);
