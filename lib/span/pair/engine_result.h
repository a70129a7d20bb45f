/* engine_result: whether spans of tracepoints failed, and what they moved. */
#pragma once

#include "engine.h"

/* Returns in which directions a span that begins moves data: SPAN_READS and SPAN_WRITES. */
uint8_t engine_moves(struct span_engine *engine, const struct span *span,
		     const struct engine_use *use, const struct event *event);
/* What the end says of the span: whether it failed, and what it moved. */
void engine_result(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event, struct open_span *open);
