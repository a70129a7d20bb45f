/* run: the one loop, from a capture to the sinks. Recording and converting differ only in who writes the capture. */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/sink.h>

struct error;
struct event;
struct place;
struct run;

/* The input, and functions to call while it is read. Lent during run_convert(). */
struct run_source {
	const char *path;
	const struct place
		*place; /* NULL, or the spool of this place is read; `path` names it in sentences */
	capture_available available; /* NULL: the file is complete */
	void *available_context;
	bool (*should_stop)(void *context); /* or NULL */
	void (*progress)(void *context, uint64_t bytes,
			 uint64_t total); /* or NULL; total 0: not known */
	/* Gets each event after the model has, or NULL. */
	void (*on_event)(void *context, const struct event *event);
	void *context;
};

enum run_result {
	RUN_COMPLETE = 0,
	RUN_STOPPED = 1,     /* should_stop() said so */
	RUN_SINK_FAILED = 2, /* a sink can take no more; its close says why */
};

struct run *run_new(void);
/* For run_archive(). */
struct run *run_new_archive(void);
/* Large tables may be in unlinked files in this directory. */
void run_use_directory(struct run *run, int directory);
/* Names of files are not kept: no sink needs them. */
void run_forget_names(struct run *run);
/* No archive is made: threads do not share locations before there are very many. */
void run_fold_late(struct run *run);
/* Closes what is open. NULL is fine. */
void run_free(struct run *run);
/*
 * Returns the number of the sink, or -errno with a sentence. `options` is lent until the sink is closed; its
 * trace and tally are set here.
 */
int run_add_sink(struct run *run, const struct sink_ops *ops, struct sink_options *options,
		 struct error *err);
struct span_engine;
/* Spans are looked for, too; lent until run_free(). The engine must have been made with run_trace(). */
void run_use_spans(struct run *run, struct span_engine *engine);
/* Returns an enum run_result, or -errno with a sentence; in all cases the sinks have seen an end. Call once. */
int run_convert(struct run *run, const struct run_source *source, struct error *err);
/* The same, of the OTF2 archive in the directory `source->path`. Call once, for a run of run_new_archive(). */
int run_archive(struct run *run, const struct run_source *source, struct error *err);
/*
 * Gives an event of another run, which reads a capture, to this one, which reads none; and when the other has ended, ends this
 * one. It has the books of that capture, of which it is one part. unassigned: calls in it of which nobody knows whether they
 * are of this part.
 */
void run_feed(struct run *run, const struct run *from, const struct event *event);
void run_end(struct run *run, const struct run *from, uint64_t unassigned);
/* Returns 0 or what the sink met. */
int run_close_sink(struct run *run, int sink, struct error *err);
/* Returns how many samples came of each event of the capture. Lent until run_free(). */
const uint64_t *run_samples(const struct run *run, uint32_t *events);
/* Returns a remark on the capture, or NULL after the last. Lent until run_free(). */
const char *run_warning(const struct run *run, uint32_t index);
/* Returns how many bytes at the end were no whole record. */
uint64_t run_torn(const struct run *run);
/* Returns whether a sink takes no further events. */
bool run_is_cut_short(const struct run *run);
/* Returns how many bytes of records a recorder had cut out of the capture. */
uint64_t run_gone(const struct run *run);
const struct trace *run_trace(const struct run *run);
const struct tally *run_tally(const struct run *run);
