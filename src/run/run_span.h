/* run_span: spans that an archive is to have, besides calls and operations. From the engine that finds them to the model. */
#pragma once

#include <iotrace/model.h>
#include <iotrace/span.h>

struct run_span;
struct span_engine;

/*
 * The spans are of tracepoints and lent, as the model is, for the life of the object. is_of_some: the recording is one of some tasks, and
 * spans of others are not wanted.
 */
struct run_span *run_span_new(struct model *model, const struct span *const *span, uint32_t spans,
			      bool is_of_some);
void run_span_free(struct run_span *spans);
struct span_engine *run_span_engine(const struct run_span *spans);
