/* aio_queue: rings of io_uring, and which files their requests mean. */
#pragma once

#include "state/state.h"

/* Returns the queue of a step, a new one if it was not seen before. Lent until the next call. */
struct aio_queue *aio_queue_get(struct model *m, uint32_t process, const struct aio *step);
/* The address is that of a new ring, which leads to descriptor `fd`. */
void aio_queue_begin(struct model *m, uint32_t process, const struct aio *step);
/* The descriptor is one of this table. */
void aio_queue_set_fixed(struct model *m, uint32_t process, uint32_t table, const struct aio *step);
/* Which files these are is not known any more; all of all queues. */
void aio_queue_forget_fixed(struct model *m, uint32_t process, const struct aio *step,
			    uint32_t index, uint64_t count);
void aio_queue_forget_all_fixed(struct model *m);
/* Forgets the queue of a step; all of a process. */
void aio_queue_end(struct model *m, uint32_t process, const struct aio *step);
void aio_queue_end_all(struct model *m, uint32_t process);

/* What the fixed file is, since it changed last. */
void aio_queue_learn_fixed(struct model *m, struct aio_queue *queue, uint32_t index, uint32_t open);

/* Returns the open of a fixed file, or ID_NONE if it is not known. */
uint32_t aio_queue_fixed(const struct aio_queue *queue, int32_t index);
/* Whether nothing has changed it after that time. */
bool aio_queue_is_fixed(const struct aio_queue *queue, int32_t index, uint64_t since);
/*
 * Returns what stands for the file of a request that began at `time` where it is not known: the ring itself. Its
 * descriptor's open, or one that is taken as open from before.
 */
uint32_t aio_queue_open(struct model *m, struct aio_queue *queue, uint64_t time);
void aio_queue_release(struct model *m);
