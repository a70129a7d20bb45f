/* run_find: what the engine that finds spans gets of a stream. */
#include "run_span.h"
#include "run_state.h"

#include <iotrace/decode.h>
#include <iotrace/span_engine.h>

void run_use_spans(struct run *run, struct span_engine *engine)
{
	run->spans = engine;
}

void run_record_spans(struct run *run, const struct span *const *span, uint32_t spans,
		      bool is_of_some)
{
	run->recorded = run_span_new(run->model, span, spans, is_of_some);
	run->spans = run_span_engine(run->recorded);
}

const char *run_span_trouble(const struct run *run, uint32_t span)
{
	return run->recorded ? span_engine_trouble(run->spans, span) : NULL;
}

/* The format came with the file, or earlier in the stream. */
static void define_event(struct run *run, const struct decode *decode, uint32_t event)
{
	const struct decode_event *fields = decode_wanted_event(decode, event);

	if (fields && !span_engine_is_defined(run->spans, event))
		span_engine_define(run->spans, event, fields);
}

void run_define_spans_of(struct run *run, const struct decode *decode)
{
	for (uint32_t i = 0; decode && i < span_engine_events(run->spans)->count; i++)
		define_event(run, decode, i);
}

/* Spans that the kernel has counted have groups, but no samples. */
void run_define_spans(struct run *run)
{
	run_define_spans_of(run, run->decode);
}

static void take_tracepoint(struct run *run, const struct decode *decode, const struct event *event)
{
	define_event(run, decode, event->tracepoint.event);
	span_engine_tracepoint(run->spans, event);
}

/* Any sample may begin or end a span, whatever else it means. */
bool run_find_spans(struct run *run, const struct sample *sample)
{
	struct decode_mapping mapping;
	struct event event;

	if (decode_mapping(sample, &mapping))
		span_engine_mapping(run->spans, &mapping);
	if (!decode_wanted(run->decode, sample, &event))
		return false;
	take_tracepoint(run, run->decode, &event);
	if (run->source->on_span)
		run->source->on_span(run->source->context, &event);
	return true;
}

void run_feed_span(struct run *run, const struct run *from, const struct event *event)
{
	if (run->spans)
		take_tracepoint(run, from->decode, event);
}
