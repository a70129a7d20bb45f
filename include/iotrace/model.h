/*
 * model: the meaning of events.
 *
 * It follows processes, threads, descriptor tables, open file descriptions and files, converts events into
 * io_events, and passes each of these to one function. It does not query the system: all information comes through
 * model_event(). It owns the definitions of the trace, which sinks may read at any time.
 */
#pragma once

#include <iotrace/decode.h>
#include <iotrace/io_event.h>
#include <iotrace/tally.h>
#include <iotrace/trace.h>

struct model;

typedef void (*model_output)(void *context, const struct io_event *event);

/* Counts in tally. output() gets the events of each location in the order of time; between locations there is no order. */
struct model *model_new(struct tally *tally, model_output output, void *context);
void model_free(struct model *model);
/* Large tables may be in unlinked files in this directory. */
void model_use_directory(struct model *model, int directory);
void model_forget_names(struct model *model); /* no sink needs names of files */
void model_fold_late(
	struct model *model); /* no archive is written, so threads need not share locations */
void model_event(struct model *model, const struct event *event);
/* Says that the recording was running at this time. For a stream without facts, which do not say when it began and ended. */
void model_lasts(struct model *model, uint64_t time);
/* Says that the stream ends early, because the conversion does. Call it before model_end(). */
void model_ends_early(struct model *model, enum trace_conversion why);
/*
 * Copies what another model knows of running processes and their open files, at this point of its stream. `to` must be new, and have
 * got the facts about the recording. has_positions: `from` has seen every call, so it knows the positions of files, too.
 */
void model_continue(struct model *to, const struct model *from, bool has_positions);
/* Excludes calls and operations that begin before this time. Files and processes are followed. Call it before their first event. */
void model_begin_at(struct model *m, uint64_t time);
/* Call it once at the end of the stream: ends calls in flight, and counts what is open. */
void model_end(struct model *model);

/* Returns the definitions so far. Lent for the life of the model. */
const struct trace *model_trace(const struct model *model);

/* Defines the counters of -E; copies their names. Call it before the first event. */
void model_set_counters(struct model *model, const char *const *name, uint32_t count);
/*
 * Defines the fields of an event of -e: numbers become a series, strings become parameters. Copies its arguments. Call it before
 * the first EVENT_TRACEPOINT of this event; otherwise those are not recorded.
 */
void model_set_tracepoint(struct model *model, uint32_t event, const struct decode_event *text);
bool model_has_tracepoint(const struct model *model, uint32_t event);

/* Defines a kind of span that the trace is to have. Returns its number. is_nested: its spans nest with calls and each other. */
uint32_t model_add_span(struct model *model, const char *name, const char *definition,
			bool is_nested);
/* A span that begins or ends. */
struct model_span {
	uint32_t slot;       /* no other that is open has this number; small */
	uint32_t span;       /* model_add_span() */
	uint32_t pid, tid;   /* in which it begins; pid 0: not known */
	uint64_t time;       /* no earlier event of the stream follows */
	uint64_t bytes;      /* 0: it has none */
	struct io_span what; /* its texts: model_span_text() */
};
void model_span_begin(struct model *model, const struct model_span *span);
/* It ended, or it will not. Only slot, time, bytes and what are read. */
void model_span_end(struct model *model, const struct model_span *span);
void model_span_cut(struct model *model, const struct model_span *span, enum io_end why);
str_id model_span_text(struct model *model, const char *bytes, size_t length);
