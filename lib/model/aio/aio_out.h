/* aio_out: the operations of asynchronous requests, as io_events on the location of those who submitted them. */
#pragma once

#include "state/state.h"

/* Whether it is an operation on a file. What only manages, opens or closes has no io_events of this kind. */
bool aio_is_operation(const struct aio *request);
void aio_out_begin(struct model *m, uint32_t op, uint64_t time);
void aio_out_issued(struct model *m, uint32_t op, uint64_t time);
/* ISSUED, if it was not yet, and COMPLETE with the bytes it moved, or IO_BYTES_UNDEFINED; error: errno, or 0. */
void aio_out_complete(struct model *m, uint32_t op, uint64_t time, uint64_t bytes, int error);
void aio_out_cancelled(struct model *m, uint32_t op, uint64_t time, enum io_end why);

/* The handle of an open is gone, in the context of a request. */
void aio_out_destroy(struct model *m, const struct aio_op *op, uint64_t time, uint32_t open);

/* From here on its io_events have the handle of this open. */
void aio_decide(struct model *m, uint32_t op, uint32_t open);
/* By what is known now: its descriptor, its fixed file, or else its ring. */
void aio_decide_now(struct model *m, uint32_t op);
/* Its io_events wait no longer. */
void aio_give_up(struct model *m, uint32_t op);
/* Returns what its descriptor leads to, and did when the request began, or ID_NONE. */
uint32_t aio_open_of(struct model *m, uint32_t op, uint64_t time);
