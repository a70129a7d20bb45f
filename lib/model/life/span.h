/*
 * span: makes io_events of the spans that lib/span finds, on the location of the thread in which they began.
 *
 * A span that always nests with calls and other spans of its thread is a region. Any other span is a non-blocking operation, on a
 * handle with the span's name; each process has its own. Spans that are open when their process ends are cancelled.
 */
#pragma once

#include "state/state.h"

enum { SPAN_NO_REASON = -1 }; /* it ended by its end event */

/* A span begins in this task. MAP_NONE: the task is unknown. */
void span_begin(struct model *m, const struct model_span *span, uint32_t task);
/* A span ends. why: an enum io_end, or SPAN_NO_REASON. */
void span_end(struct model *m, const struct model_span *span, int why);
/* Ends the regions of a thread. Call it while its location is still known. */
void span_thread_end(struct model *m, uint32_t task);
/* Cancels the operations of a process that ends. */
void span_process_end(struct model *m, uint32_t process);
/* Ends all regions after a loss of data: it is unknown which of them have ended. */
void span_lost(struct model *m, uint64_t time);
void span_release(struct model *m);
