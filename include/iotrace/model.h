/*
 * model: what the events mean.
 *
 * It knows processes, threads, descriptor tables, open file descriptions, files; turns events into io_events and
 * hands each to one function. It asks no questions: all it knows came through model_event(). It owns the
 * definitions of the trace, which sinks may read at any time.
 */
#pragma once

#include <iotrace/decode.h>
#include <iotrace/io_event.h>
#include <iotrace/tally.h>
#include <iotrace/trace.h>

struct model;

typedef void (*model_output)(void *context, const struct io_event *event);

/* Counts in tally. The events of each location go to output() in the order of time; those of several have no order. */
struct model *model_new(struct tally *tally, model_output output, void *context);
void model_free(struct model *model);
/* What is known of files may lie in unlinked files in this directory. */
void model_use_directory(struct model *model, int directory);
void model_forget_names(struct model *model); /* of files: no sink needs them */
void model_fold_late(
	struct model *model); /* no archive is made: threads need not share locations */
void model_event(struct model *model, const struct event *event);
/* The stream has ended: closes what is in flight, counts what is open. Call once. */
void model_end(struct model *model);

/* What is defined so far. Lent for the life of the model. */
const struct trace *model_trace(const struct model *model);

/* The counters of -E, a series of calls: their names are copied. Before the first event. */
void model_set_counters(struct model *model, const char *const *name, uint32_t count);
/*
 * Says what an event of -e carries: its numbers become a series, its strings parameters. Copied; before its first
 * EVENT_TRACEPOINT, of which nothing is recorded else.
 */
void model_set_tracepoint(struct model *model, uint32_t event, const struct decode_event *text);
bool model_has_tracepoint(const struct model *model, uint32_t event);
