/* engine_async: what asynchronous requests move, for spans of calls: if the output wants it, they are no operations of their own. */
#pragma once

#include "engine.h"

/* An operation of a thread. Returns whether it is such a request. */
bool engine_async(struct span_engine *engine, const struct io_event *event);
