/* aio_queue: rings of io_uring, and the files of their requests. */
#pragma once

#include "state/state.h"

/* Returns the queue of a step, and creates it if it is new. Lent until the next call. */
struct aio_queue *aio_queue_get(struct model *m, uint32_t process, const struct aio *step);
/* A new ring has this address, and descriptor `fd`. */
void aio_queue_begin(struct model *m, uint32_t process, const struct aio *step);
/* The step registers a descriptor of this table as a fixed file. */
void aio_queue_set_fixed(struct model *m, uint32_t process, uint32_t table, const struct aio *step);
/* These fixed files, or all fixed files of all queues, are unknown from now on. */
void aio_queue_forget_fixed(struct model *m, uint32_t process, const struct aio *step,
			    uint32_t index, uint64_t count);
void aio_queue_forget_all_fixed(struct model *m);
/* Forgets the queue of a step, or all queues of a process. */
void aio_queue_end(struct model *m, uint32_t process, const struct aio *step);
void aio_queue_end_all(struct model *m, uint32_t process);

/* Sets the fixed file of a slot that has not changed since. */
void aio_queue_learn_fixed(struct model *m, struct aio_queue *queue, uint32_t index, uint32_t open);

/* Returns the open of a fixed file, or ID_NONE if it is not known. */
uint32_t aio_queue_fixed(const struct aio_queue *queue, int32_t index);
/* Whether nothing has changed the slot since that time. */
bool aio_queue_is_fixed(const struct aio_queue *queue, int32_t index, uint64_t since);
/*
 * Returns the open that stands for an unknown file of a request that began at `time`: the ring itself. It is that of the ring's
 * descriptor, or a new one that counts as open from before.
 */
uint32_t aio_queue_open(struct model *m, struct aio_queue *queue, uint64_t time);
void aio_queue_release(struct model *m);
