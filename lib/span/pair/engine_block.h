/* engine_block: spans of block requests; see engine_block.c. */
#pragma once

struct io_event;
struct span_engine;

/* An event of a device: a request begins, is issued, or ends. */
void engine_block(struct span_engine *engine, const struct io_event *event);
/* Removes requests that were never issued: they have no service time. */
void engine_block_drop_unissued(struct span_engine *engine);
