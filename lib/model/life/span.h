/*
 * span: spans of lib/span as io_events, on the location of the thread that they began in.
 *
 * A span of which it is known that it nests with calls and other spans is a region. Any other is a non-blocking operation of a handle
 * that has the span's name, one for each process. Spans that are open when their process ends are cancelled.
 */
#pragma once

#include "state/state.h"

enum { SPAN_NO_REASON = -1 }; /* it ended as it should */

/* It begins in the task; MAP_NONE: that is not known. */
void span_begin(struct model *m, const struct model_span *span, uint32_t task);
/* why: an enum io_end, or SPAN_NO_REASON. */
void span_end(struct model *m, const struct model_span *span, int why);
/* The thread has ended, and its location is still known. */
void span_thread_end(struct model *m, uint32_t task);
/* The process ends, or its last thread has. */
void span_process_end(struct model *m, uint32_t process);
/* Data was lost. Which regions have ended is not known. */
void span_lost(struct model *m, uint64_t time);
void span_release(struct model *m);
