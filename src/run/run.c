/*
 * run: capture → order → decode → model → sinks.
 *
 * Records go in by rounds and come out in order of time. Each record becomes at most one event, each event any number of
 * io_events, and every sink gets each of them. This code does not know whether the recorder is still running.
 */
#include "run_state.h"

#include "run_span.h"

#include <errno.h>
#include <fcntl.h>
#include <iotrace/archive.h>
#include <iotrace/books.h>
#include <iotrace/decode.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/model.h>
#include <iotrace/order.h>
#include <iotrace/page.h>
#include <iotrace/place.h>
#include <iotrace/span_engine.h>
#include <stdlib.h>

enum {
	ASK_INTERVAL = 2048, /* records between two calls of should_stop() */
	ASK_ROUNDS = 512,    /* rounds, if the recording has ended */
};

static void output(void *context, const struct io_event *event)
{
	struct run *run = context;

	if (run->spans)
		span_engine_io_event(run->spans, event);
	if (run->sinks == 1 && run->sink->ops) {
		run->sink->ops->event(run->sink->sink, event);
		return;
	}
	for (const struct run_sink *sink = run->sink; sink < run->sink + run->sinks; sink++) {
		if (sink->ops)
			sink->ops->event(sink->sink, event);
	}
}

static void set_counters(struct model *model, const struct decode *decode)
{
	const char *name[EVENT_COUNTERS];
	uint32_t counters = decode_counters(decode);

	for (uint32_t i = 0; i < counters && i < EVENT_COUNTERS; i++)
		name[i] = decode_counter_name(decode, i);
	model_set_counters(model, name, counters < EVENT_COUNTERS ? counters : EVENT_COUNTERS);
}

struct model *run_new_model(struct run *run)
{
	struct model *model = model_new(&run->tally, output, run);

	if (run->decode)
		set_counters(model, run->decode);
	return model;
}

struct run *run_new(void)
{
	struct run *run = mem_zero(sizeof(*run));

	page_guard();
	run->model = run_new_model(run);
	run->trace = model_trace(run->model);
	run->until_asked = ASK_INTERVAL;
	return run;
}

struct run *run_new_archive(void)
{
	struct run *run = mem_zero(sizeof(*run));

	page_guard();
	trace_init(&run->archive);
	run->trace = &run->archive;
	return run;
}

void run_use_directory(struct run *run, int directory)
{
	if (run->model)
		model_use_directory(run->model, directory);
	else
		trace_use_directory(&run->archive, directory);
}

void run_forget_names(struct run *run)
{
	if (run->model)
		model_forget_names(run->model);
}

void run_fold_late(struct run *run)
{
	if (run->model)
		model_fold_late(run->model);
}

void run_free(struct run *run)
{
	if (!run)
		return;
	for (int i = 0; i < run->sinks; i++)
		run_close_sink(run, i, NULL);
	lasting_free(run->lasting);
	run_span_free(run->recorded);
	model_free(run->model);
	if (!run->model)
		trace_release(&run->archive);
	decode_free(run->decode);
	order_free(run->order);
	capture_close(run->capture);
	free(run->samples);
	free(run);
}

static int ask(const struct run *run)
{
	if (run_has_failed(run))
		return RUN_SINK_FAILED;
	if (run->source->should_stop && run->source->should_stop(run->source->context))
		return RUN_STOPPED;
	return RUN_COMPLETE;
}

static void give_model(struct run *run, const struct decode *decode, const struct event *event)
{
	if (event->kind == EVENT_TRACEPOINT &&
	    !model_has_tracepoint(run->model, event->tracepoint.event))
		model_set_tracepoint(run->model, event->tracepoint.event,
				     decode_event(decode, event->tracepoint.event));
	model_event(run->model, event);
}

/* The counts of a whole recording say nothing of a part of it. */
static bool is_of_whole(const struct event *event)
{
	return event->kind == EVENT_FACT &&
	       (event->fact.kind == FACT_COUNT || event->fact.kind == FACT_LOOKUPS);
}

/* perf record (since Linux 6.1) reports each loss twice: when it happens, and at the end in the counter of the event. */
static uint64_t lost_of(const struct run *run)
{
	return run->lost_records > run->lost_counters ? run->lost_records : run->lost_counters;
}

static void pass_event(struct run *run, const struct event *event)
{
	if (run->lasting)
		lasting_add(run->lasting, event);
	if (run->spans)
		span_engine_event(run->spans, event);
	give_model(run, run->decode, event);
	if (run->source->on_event)
		run->source->on_event(run->source->context, event);
}

static void take_loss(struct run *run, const struct event *event)
{
	struct event told = *event;
	uint64_t before = lost_of(run);

	if (event->lost.is_of_counter) {
		run->lost_counters += event->lost.count;
		told.lost.count = lost_of(run) - before;
	} else {
		run->lost_records += event->lost.count;
	}
	if (told.lost.count)
		pass_event(run, &told);
}

static void take_event(struct run *run, const struct event *event)
{
	if (event->kind == EVENT_LOST)
		take_loss(run, event);
	else if (!run->since || !is_of_whole(event))
		pass_event(run, event);
}

void run_feed(struct run *run, const struct run *from, const struct event *event)
{
	if (run->spans)
		span_engine_event(run->spans, event);
	give_model(run, from->decode, event);
}

/* Records that were removed from the capture count as lost, like those for which the kernel had no space. */
static void take_gap(struct run *run, uint64_t time)
{
	const struct event lost = {.kind = EVENT_LOST,
				   .time = run->last ? run->last : time,
				   .lost = {.count = run->gap, .until = time}};

	run->gap = 0;
	take_event(run, &lost);
}

/* Whether nothing needs the sample. The model that this one continues has seen what came before `since`. */
static bool is_skipped(const struct run *run, const struct sample *sample)
{
	return (run->since && sample->time && sample->time <= run->since) ||
	       (run->lasting && decode_is_passing(run->decode, sample));
}

/* Processes all records that may leave. Returns an enum run_result. */
static int drain(struct run *run)
{
	struct sample sample;
	struct event event;
	bool is_late, is_span;

	while (order_next(run->order, &sample, &is_late) == 1) {
		if (is_skipped(run, &sample)) {
			run->last = sample.time ? sample.time : run->last;
			continue;
		}
		if (sample.type == PERF_RECORD_SAMPLE && sample.event < run->events)
			run->samples[sample.event]++;
		if (run->gap && sample.time)
			take_gap(run, sample.time);
		if (sample.time)
			run->last = sample.time;
		if (run->is_of_perf && sample.time)
			model_lasts(run->model, sample.time);
		is_span = run->spans && run_find_spans(run, &sample);
		/* A span is in the outputs, and not its tracepoints as well. */
		if (decode_sample(run->decode, &sample, is_late, &event) == 1 &&
		    !(is_span && run->recorded && event.kind == EVENT_TRACEPOINT))
			take_event(run, &event);
		if (--run->until_asked)
			continue;
		run->until_asked = ASK_INTERVAL;
		if (ask(run) != RUN_COMPLETE)
			return ask(run);
	}
	return RUN_COMPLETE;
}

static void report_progress(const struct run *run)
{
	uint64_t total = 0, bytes;

	if (!run->source->progress)
		return;
	bytes = capture_position(run->capture, &total);
	run->source->progress(run->source->context, bytes, total);
}

static bool has_gap(const struct run *run)
{
	uint64_t records;

	return capture_gone(run->capture, &records) && records > run->gone;
}

static void note_gap(struct run *run)
{
	uint64_t records;

	capture_gone(run->capture, &records);
	run->gap += records - run->gone;
	run->gone = records;
}

int run_take_round(struct run *run, struct capture_round *round)
{
	bool is_before_gap = has_gap(run);
	int end;

	order_add_round(run->order, round);
	if (is_before_gap)
		order_end(run->order);
	end = drain(run);
	if (is_before_gap)
		note_gap(run);
	return end;
}

static int loop(struct run *run, struct error *err)
{
	struct capture_round round;
	int rc, end;

	while ((rc = capture_next_round(run->capture, &round, err)) == 1) {
		end = run_take_round(run, &round);
		if (end == RUN_COMPLETE &&
		    (run->source->available || !(++run->rounds % ASK_ROUNDS)))
			end = ask(run);
		if (end != RUN_COMPLETE)
			return end;
		report_progress(run);
	}
	/* After an error in the middle, the records before it are still valid. */
	order_end(run->order);
	end = drain(run);
	return rc < 0 ? rc : end;
}

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

static struct capture *open_capture(const struct run_source *source, struct error *err)
{
	int fd;

	if (!source->fd && !source->place)
		return capture_open(source->path, source->available, source->available_context,
				    err);
	fd = source->fd ? duplicate(source->fd) : place_read(source->place, PLACE_SPOOL);
	if (fd >= 0)
		return capture_open_in(fd, source->path, source->available,
				       source->available_context, err);
	error_set(err, -fd, "cannot open %s", source->path);
	return NULL;
}

static int refuse_other_events(const char *file, struct error *err)
{
	error_say(err, ENODATA,
		  "%s: there is nothing to convert: none of its events is a system call or a block "
		  "request",
		  file);
	error_hint(err, "To record system calls: perf record -e 'syscalls:*', or iotrace --capture "
			"FILE");
	return -err->code;
}

static int open_source(struct run *run, struct error *err)
{
	const struct run_source *source = run->source;

	run->capture = open_capture(source, err);
	if (!run->capture)
		return err->code ? -err->code : -EIO;
	if (run->begin)
		capture_begin_at(run->capture, run->begin);
	run->events = capture_info(run->capture)->events;
	run->samples = mem_array(run->events, sizeof(*run->samples));
	run->order = order_new(run->capture, &run->stream);
	run->decode = decode_new(capture_info(run->capture), &run->stream, err);
	if (!run->decode)
		return err->code ? -err->code : -EIO;
	run->is_of_perf = !decode_has_facts(run->decode);
	if (run->spans)
		decode_want(run->decode, span_engine_events(run->spans));
	if (!run->spans && decode_is_without_io(run->decode))
		return refuse_other_events(source->path, err);
	set_counters(run->model, run->decode);
	return 0;
}

/* The counters of stages before the model are the same for each run of a capture. */
static void end_model(struct run *run, const struct run *from)
{
	tally_merge(&run->tally, &from->stream);
	model_ends_early(run->model, from->conversion);
	model_end(run->model);
	books_settle(&run->tally, model_trace(run->model), from->samples, from->events,
		     &(struct books_missing){lost_of(from), from->gone});
}

int run_open(struct run *run, const struct run_source *source, struct error *err)
{
	run->source = source;
	return open_source(run, err);
}

int run_convert(struct run *run, const struct run_source *source, struct error *err)
{
	int rc;

	rc = run_open(run, source, err);
	if (!rc)
		rc = loop(run, err);
	run->conversion = rc > 0 ? (enum trace_conversion)rc : TRACE_CONVERSION_WHOLE;
	if (source->at_end)
		source->at_end(source->context);
	if (run->spans)
		run_define_spans(run);
	if (run->recorded)
		span_engine_end(run->spans);
	tally_add(&run->stream, torn, run_torn(run));
	end_model(run, run);
	return rc;
}

void run_end(struct run *run, const struct run *from, uint64_t unassigned)
{
	run->from = from;
	tally_add(&run->tally, unassigned, unassigned);
	if (run->recorded) {
		run_define_spans_of(run, from->decode);
		span_engine_end(run->spans);
	}
	end_model(run, from);
}

static bool should_stop(void *context)
{
	const struct run *run = context;

	return run->source->should_stop && run->source->should_stop(run->source->context);
}

int run_archive(struct run *run, const struct run_source *source, struct error *err)
{
	const struct archive_source archive = {
		.dir = source->path,
		.trace = &run->archive,
		.tally = &run->tally,
		.on_event = output,
		.context = run,
		.should_stop = should_stop,
	};
	int rc;

	run->source = source;
	rc = archive_read(&archive, err);
	if (rc == 1)
		run->archive.host.conversion = TRACE_CONVERSION_STOPPED;
	return rc == 1 ? RUN_STOPPED : rc;
}

const char *run_warning(const struct run *run, uint32_t index)
{
	return run->decode ? decode_warning(run->decode, index) : NULL;
}

uint64_t run_torn(const struct run *run)
{
	return run->capture ? capture_torn(run->capture) : 0;
}

uint64_t run_gone(const struct run *run)
{
	uint64_t records;

	return run->capture ? capture_gone(run->capture, &records) : 0;
}

const uint64_t *run_samples(const struct run *run, uint32_t *events)
{
	const struct run *whole = run->from ? run->from : run;

	*events = whole->events;
	return whole->samples;
}

const struct trace *run_trace(const struct run *run)
{
	return run->trace;
}

const struct tally *run_tally(const struct run *run)
{
	return &run->tally;
}
