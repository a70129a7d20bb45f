/*
 * aio_in: applies the steps of asynchronous requests.
 *
 * An operation is on the location of the thread that submitted it: a thread of the program inside its io_uring_enter or
 * io_submit, or the kernel's thread of the ring (SQPOLL), which is one of the process. BEGIN is when the kernel took the request,
 * ISSUED when it got its file, COMPLETE when any thread posted its result.
 */
#pragma once

#include "state/state.h"

void aio_in(struct model *m, const struct event *event);
/* Returns whether requests that were submitted on the location are in flight. ID_NONE is allowed. */
bool aio_is_busy(const struct model *m, thread_id location);
/* The process ends or executes a program: all its requests end. */
void aio_process_end(struct model *m, uint32_t process);
/* The recording ends: all requests end. */
void aio_end_all(struct model *m);
void aio_release(struct model *m);
