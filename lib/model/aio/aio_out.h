/* aio_out: the operations of asynchronous requests, as io_events on the location of the submitting thread. */
#pragma once

#include "state/state.h"

/* Whether the request is an operation on a file. Requests that manage, open or close have no such io_events. */
bool aio_is_operation(const struct aio *request);
void aio_out_begin(struct model *m, uint32_t op, uint64_t time);
void aio_out_issued(struct model *m, uint32_t op, uint64_t time);
/* Emits ISSUED if it is still missing, and COMPLETE with the moved bytes or IO_BYTES_UNDEFINED; error: errno, or 0. */
void aio_out_complete(struct model *m, uint32_t op, uint64_t time, uint64_t bytes, int error);
void aio_out_cancelled(struct model *m, uint32_t op, uint64_t time, enum io_end why);

/* Emits the destruction of the handle of `open` by a request. */
void aio_out_destroy(struct model *m, const struct aio_op *op, uint64_t time, uint32_t open);

/* From now on, the request's io_events have the handle of this open. */
void aio_decide(struct model *m, uint32_t op, uint32_t open);
/* Decides with what is known now: its descriptor, its fixed file, or otherwise its ring. */
void aio_decide_now(struct model *m, uint32_t op);
/* Decides that it has no file: its ring stands for it. */
void aio_decide_none(struct model *m, uint32_t op);
/* Its io_events no longer wait. */
void aio_give_up(struct model *m, uint32_t op);
/* Returns the open of its descriptor, if it has been the same since the request began; or ID_NONE. */
uint32_t aio_open_of(struct model *m, uint32_t op, uint64_t time);
