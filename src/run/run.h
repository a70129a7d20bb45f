/* run: the loop from a capture to the sinks. Recording and converting differ only in who writes the capture. */
#pragma once

#include <iotrace/capture.h>
#include <iotrace/recorded.h>
#include <iotrace/sink.h>

struct error;
struct event;
struct fact;
struct place;
struct run;

/* The input, and functions to call while it is read. Lent during run_convert(), or from run_open() until run_free(). */
struct run_source {
	const char *path;
	/* NULL, or the place whose spool is read; then `path` is its name in messages. */
	const struct place *place;
	int fd; /* 0, or a descriptor of the capture, lent; then `path` is its name in messages */
	capture_available available; /* NULL: the file is complete */
	void *available_context;
	bool (*should_stop)(void *context); /* or NULL */
	void (*progress)(void *context, uint64_t bytes,
			 uint64_t total); /* or NULL; total 0: not known */
	/* Or NULL; called with each event after the model. */
	void (*on_event)(void *context, const struct event *event);
	/* Or NULL; called with each tracepoint of a span. The format of its event is known. */
	void (*on_span)(void *context, const struct event *event);
	void (*at_end)(
		void *context); /* or NULL; called before the model and the sinks get the end */
	void *context;
};

enum run_result {
	RUN_COMPLETE = 0,
	RUN_STOPPED = TRACE_CONVERSION_STOPPED, /* should_stop() returned true */
	/* A sink cannot take more; its close has the reason. */
	RUN_SINK_FAILED = TRACE_CONVERSION_UNWRITTEN,
};

struct run *run_new(void);
/* For run_archive(). */
struct run *run_new_archive(void);
/* Allows large tables to be in unlinked files in this directory. */
void run_use_directory(struct run *run, int directory);
/* Names of files are not stored, because no sink needs them. */
void run_forget_names(struct run *run);
/* There is no archive, so threads share locations only if there are very many. */
void run_fold_late(struct run *run);
/* Closes everything that is open. NULL is fine. */
void run_free(struct run *run);
/*
 * Returns the number of the sink, or -errno with a message. `options` is lent until the sink is closed; this function sets its
 * trace and tally.
 */
int run_add_sink(struct run *run, const struct sink_ops *ops, struct sink_options *options,
		 struct error *err);
struct span_engine;
/* Also searches for spans. The engine is lent until run_free(), and must have been created with run_trace(). */
void run_use_spans(struct run *run, struct span_engine *engine);
struct span;
/* The outputs have these spans, too. See run_span.h. Before run_convert(). */
void run_record_spans(struct run *run, const struct span *const *span, uint32_t spans,
		      bool is_of_some);
/* Returns why one of them cannot be seen, or NULL. After run_convert(). */
const char *run_span_trouble(const struct run *run, uint32_t span);
/* Tells the engine of tracepoints whose format has come, though no event of them has: the kernel counts them. */
void run_define_spans(struct run *run);
/* Returns an enum run_result, or -errno with a message. In all cases, the sinks have processed an end. Call it once. */
int run_convert(struct run *run, const struct run_source *source, struct error *err);
/*
 * The same in steps. run_open() returns 0, or -errno with a message. run_step() reads one round: it returns 1, 0 at the end, or -errno
 * with a message; nobody is asked to stop.
 */
int run_open(struct run *run, const struct run_source *source, struct error *err);
int run_step(struct run *run, struct error *err);
/* Follows only files and processes: records that change neither are skipped. Before run_open(). There must be no sinks. */
void run_follow(struct run *run);
/*
 * Makes `run`, which is new, continue a run that follows, at the point where that is, with what it knows. Its sinks get what begins
 * from there on. Returns the time of that point; 0: the begin. Before run_convert() with a source of the same file, from which
 * run_followed() bytes were not removed.
 */
uint64_t run_continue(struct run *run, const struct run *from);
/* Lets a run that follows forget all that no running process refers to. run_step() does this when it has become much. */
void run_renew(struct run *run);
/* Returns the offset of the first record that run_continue() needs: see capture_position(). */
uint64_t run_followed(const struct run *run);
/* Returns how many bytes of records the rounds so far had; 0 before run_open(). */
uint64_t run_position(const struct run *run);
/* Returns the time of the latest event so far. */
uint64_t run_time(const struct run *run);
/* Passes a fact to the model, in addition to those of the stream. Its strings are lent. */
void run_add_fact(struct run *run, const struct fact *fact, uint64_t time);
/* The same for the OTF2 archive in the directory `source->path`. Call it once, for a run of run_new_archive(). */
int run_archive(struct run *run, const struct run_source *source, struct error *err);
/*
 * run_feed() passes an event of another run, which reads a capture, to this one, which reads none. run_feed_span() does the same with
 * the tracepoint of a span; both runs record the same spans. run_end() ends this run after
 * the other has ended. It gets the counters of that capture, of which it is one part. unassigned: number of calls that may or may
 * not belong to this part.
 */
void run_feed(struct run *run, const struct run *from, const struct event *event);
void run_feed_span(struct run *run, const struct run *from, const struct event *event);
void run_end(struct run *run, const struct run *from, uint64_t unassigned);
/* Returns 0, or the error of the sink. */
int run_close_sink(struct run *run, int sink, struct error *err);
/* Returns the number of samples of each event of the capture. Lent until run_free(). */
const uint64_t *run_samples(const struct run *run, uint32_t *events);
/* Returns a remark on the capture, or NULL after the last. Lent until run_free(). */
const char *run_warning(const struct run *run, uint32_t index);
/* Returns how many bytes at the end were an incomplete record. */
uint64_t run_torn(const struct run *run);
/* Returns whether a sink takes no further events. */
bool run_is_cut_short(const struct run *run);
/* Returns how many bytes of records a recorder had removed from the capture. */
uint64_t run_gone(const struct run *run);
const struct trace *run_trace(const struct run *run);
const struct tally *run_tally(const struct run *run);
