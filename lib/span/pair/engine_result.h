/* engine_result: whether spans failed, and what they moved. */
#pragma once

#include "engine.h"

/* Returns in which directions a span that begins moves data: SPAN_READS and SPAN_WRITES. */
uint8_t engine_moves(struct span_engine *engine, const struct span *span,
		     const struct engine_use *use, const struct event *event);
/* What the end says of the span: whether it failed, and what it moved. */
void engine_result(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event, struct open_span *open);
/* Returns the size that the end says, after engine_result(). slot: of the span, or OPEN_NONE. 0: it says none. */
uint64_t engine_size(struct span_engine *engine, const struct engine_use *use,
		     const struct event *event, uint32_t slot);
/* Adds the bytes of an operation to those that its span has read or written. */
void engine_add_moved(const struct io_event *event, uint64_t bytes, uint64_t *read,
		      uint64_t *written);
