/*
 * aio_in: what the steps of asynchronous requests mean.
 *
 * An operation stands on the location of the thread that submitted it: a thread of the program inside its io_uring_enter
 * or io_submit, or the kernel's thread of the ring (SQPOLL), which is one of the process. BEGIN is when the kernel took
 * the request, ISSUED when it got its file, COMPLETE when its result was posted, by any thread.
 */
#pragma once

#include "state/state.h"

void aio_in(struct model *m, const struct event *event);
/* Returns whether requests that were submitted on the location are in flight. ID_NONE is allowed. */
bool aio_is_busy(const struct model *m, thread_id location);
/* A process ends or executes a program: nothing of it stays in flight. */
void aio_process_end(struct model *m, uint32_t process);
/* The recording ends. */
void aio_end_all(struct model *m);
void aio_release(struct model *m);
