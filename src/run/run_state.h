/* run_state: what the files of a run share. */
#pragma once

#include "lasting.h"
#include "run.h"

#include <iotrace/decode.h>
#include <iotrace/model.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

enum { RUN_SINKS = 4 };

struct run {
	struct tally tally;
	/* Counters of the stages before the model; added to tally at the end. */
	struct tally stream;
	struct model *model;  /* NULL: an archive is read */
	struct trace archive; /* definitions of an archive, if there is no model */
	const struct trace *trace;
	struct capture *capture;
	struct order *order;
	struct decode *decode;
	const struct run_source *source;
	enum trace_conversion conversion;
	const struct run *from;       /* the run whose events it got; NULL: its own */
	uint32_t until_asked, rounds; /* a file of perf has a round for a few records */
	uint64_t *samples;            /* for each event of the capture */
	uint32_t events;
	uint64_t lost_records, lost_counters; /* what LOST records, and counters of events, say */
	uint64_t gone;   /* removed records: all, and those that were reported */
	uint64_t gap;    /* removed records before the next event */
	uint64_t last;   /* time of the latest sample so far */
	bool is_of_perf; /* perf made the capture, so it lasts from its first record to its last */
	struct lasting *lasting; /* NULL: it does not follow only */
	uint64_t renewed;        /* trace_bytes() after the last run_renew() */
	uint64_t round;          /* where the last round begins in the capture */
	uint64_t begin,
		since; /* run_continue(): where it begins; the time up to which it knows all */
	struct run_sink {
		const struct sink_ops *ops; /* NULL: closed */
		struct sink *sink;
	} sink[RUN_SINKS];
	int sinks;
	struct span_engine *spans; /* NULL: no spans are searched */
	struct run_span *recorded; /* NULL: the outputs do not have them */
};

/* run.c: returns a model whose io_events go to the sinks. */
struct model *run_new_model(struct run *run);
/* run.c: processes a round, which it takes over. Returns an enum run_result. */
int run_take_round(struct run *run, struct capture_round *round);
/* run_find.c: gives the engine the fields of its events. */
void run_define_spans_of(struct run *run, const struct decode *decode);
/* run_find.c: returns whether the sample is of an event that a span wants. */
bool run_find_spans(struct run *run, const struct sample *sample);
/* run_sink.c: returns whether a sink that is whole or nothing cannot take more. */
bool run_has_failed(const struct run *run);
