/* aio_op: asynchronous requests, found by their key, or by their queue and what the program calls them. */
#pragma once

#include "state/state.h"

/* Returns a request in flight, with one hold: that it is. */
uint32_t aio_op_add(struct model *m, uint32_t process, const struct aio *request);
/* Returns the request that the step is about, or ID_NONE. */
uint32_t aio_op_find(const struct model *m, uint32_t process, const struct aio *step);
/* Returns the table whose descriptors the request means. */
uint32_t aio_op_table(const struct model *m, uint32_t op);
/* It is in flight no longer: it is not found any more, and goes with the last of its io_events. */
void aio_op_remove(struct model *m, uint32_t op);
