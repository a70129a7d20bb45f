/* run_span: passes the spans of --span from the engine that finds them to the model, for the archive. */
#pragma once

#include <iotrace/model.h>
#include <iotrace/span.h>

struct run_span;
struct span_engine;

/*
 * Spans and model are lent for the life of the object. The spans are made of tracepoints. is_of_some: only some tasks are recorded, and
 * only spans of these tasks are wanted.
 */
struct run_span *run_span_new(struct model *model, const struct span *const *span, uint32_t spans,
			      bool is_of_some);
void run_span_free(struct run_span *spans);
struct span_engine *run_span_engine(const struct run_span *spans);
