/* aio_op: asynchronous requests, found by their key, or by their queue and the program's number for them. */
#pragma once

#include "state/state.h"

/* Returns a new request, held once because it is in flight. */
uint32_t aio_op_add(struct model *m, uint32_t process, const struct aio *request);
/* Returns the request of the step, or ID_NONE. */
uint32_t aio_op_find(const struct model *m, uint32_t process, const struct aio *step);
/* Returns the table of the request's descriptors. */
uint32_t aio_op_table(const struct model *m, uint32_t op);
/* The request has ended: it is no longer found. It is freed with the last of its io_events. */
void aio_op_remove(struct model *m, uint32_t op);
