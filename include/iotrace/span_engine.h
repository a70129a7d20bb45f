/*
 * span_engine: from events to spans. It pairs begins and ends, and counts what had no partner.
 *
 * It asks nothing: what it knows came through span_engine_event() and span_engine_io_event(). Each span that it saw goes to one function,
 * with what became of it. These are all that began:
 *   begun = ended + cancelled + died + left + open + begun_again + lost.
 */
#pragma once

#include <iotrace/decode.h>
#include <iotrace/io_event.h>
#include <iotrace/span.h>

struct span_engine;
struct trace;

enum span_fate {
	SPAN_ENDED,
	SPAN_CANCELLED,   /* by an event that says so */
	SPAN_DIED,        /* it was open when a signal killed its process */
	SPAN_LEFT,        /* it was open when its process ended by itself */
	SPAN_BEGUN_AGAIN, /* the same key began once more */
	SPAN_LOST,        /* data was lost: nobody knows whether it ended */
	SPAN_OPEN,        /* it was open at the end */
	SPAN_FATES
};

struct span_books {
	uint64_t begun, fate[SPAN_FATES];
	uint64_t
		ends_without_begin; /* it began before the recording, or its begin was lost or was not wanted */
	uint64_t excluded; /* begins of tasks that were not chosen */
	uint64_t events;   /* of a span of tracepoints: how many of its events came */
	bool is_counted;   /* in the kernel, so that no events came; then: */
	uint64_t unkept;   /* begins that found no room, */
	uint64_t missed;   /* and events that the kernel kept from the programs */
};

struct span_seen {
	uint32_t span; /* its number in span_engine_new() */
	enum span_fate fate;
	uint64_t group; /* see span_engine_group() */
	uint64_t begin, end, bytes;
	uint64_t key[SPAN_KEYS];
	uint32_t pid, tid; /* in which it began; 0: not known */
	uint32_t stack;    /* from where: span_engine_frame(); 0: not known */
	str_id comm,
		about; /* name of the thread, and of the file; see span_engine_comm(). 0: not known */
};

/* What happened in a thread, in the order of time; `text` is lent for the call and fit for a terminal. */
struct span_note {
	uint32_t tid;
	uint64_t time;
	const char *text;
};

struct span_output {
	void (*seen)(void *context, const struct span_seen *seen);
	void (*note)(void *context, const struct span_note *note); /* NULL: not wanted */
	void *context;
};

/* What spans are grouped by. */
enum span_by {
	SPAN_BY_GROUP, /* by what the span itself says */
	SPAN_BY_NONE,
	SPAN_BY_PROCESS,
	SPAN_BY_THREAD,
	SPAN_BY_FILE,
	SPAN_BY_CALL,
	SPAN_BY_MODE, /* read, write, ...: what the operation or the request does */
	SPAN_BY_DEVICE,
	SPAN_BYS
};

/* The spans are lent for the life of the engine, and `trace` has the definitions of the io_events. */
struct span_engine *span_engine_new(const struct span *const *span, uint32_t spans,
				    const struct trace *trace, const struct span_output *output);
void span_engine_free(struct span_engine *engine);
/* Returns 0, or -EINVAL with a sentence that says by what a span can be grouped. Before the first event. */
int span_engine_group_by(struct span_engine *engine, const char *word, struct error *err);
/* Spans of tracepoints count only for tasks that the recording follows: it is one of some tasks, but some events are of all. */
void span_engine_choose_tasks(struct span_engine *engine);

/* Spans of tracepoints have the stack that their first event had. Before the first event. */
void span_engine_use_stacks(struct span_engine *engine);
/* Needed for stacks: what processes have mapped. */
void span_engine_mapping(struct span_engine *engine, const struct decode_mapping *mapping);
/* A place in a program. */
struct span_frame {
	uint64_t offset; /* in the file; without a file, and in the kernel: the address */
	str_id file;     /* 0: none; of span_engine_file() */
	bool is_kernel;
	bool is_return; /* it is behind a call */
};
/* Returns frame `index` of a stack, from 0, the innermost first; NULL beyond the last. Lent until the next event. */
const struct span_frame *span_engine_frame(const struct span_engine *engine, uint32_t stack,
					   uint32_t index);
const char *span_engine_file(const struct span_engine *engine, const struct span_frame *frame);

/* The tracepoints that the engine wants, as decode_want() takes them. Lent; it is complete from span_engine_new() on. */
const struct text_list *span_engine_events(const struct span_engine *engine);
/* Says where the fields of one of them are, before its first event. `fields` is lent for the life of the engine. */
bool span_engine_is_defined(const struct span_engine *engine, uint32_t event);
void span_engine_define(struct span_engine *engine, uint32_t event,
			const struct decode_event *fields);
/* An event of span_engine_events(): tracepoint.event is its number there. */
void span_engine_tracepoint(struct span_engine *engine, const struct event *event);
/* Any other event: the engine takes what it says of tasks, and of losses. */
void span_engine_event(struct span_engine *engine, const struct event *event);
void span_engine_io_event(struct span_engine *engine, const struct io_event *event);
/*
 * What the kernel counted of a span, from `first` to `last`, is added to its books; and one that it has seen begin, and not end. Before
 * span_engine_end().
 */
void span_engine_count(struct span_engine *engine, uint32_t span, const struct span_books *books,
		       uint64_t first, uint64_t last);
void span_engine_adopt(struct span_engine *engine, const struct span_seen *begun);
/* All that is open stays so. */
void span_engine_end(struct span_engine *engine);
/*
 * Calls with each span that is open at this moment, unless its process has ended. Nothing needs to have happened for a long time
 * before it. Books and spans stay as they are.
 */
void span_engine_look(const struct span_engine *engine, uint64_t now,
		      void (*call)(void *context, const struct span_seen *seen), void *context);

const struct span_books *span_engine_books(const struct span_engine *engine, uint32_t span);
/* Returns why the span cannot be seen in this stream ("tracepoint a:b has no field 'c'"), or NULL. */
const char *span_engine_trouble(const struct span_engine *engine, uint32_t span);
/* The times of the first and the last event. 0: there was none. */
uint64_t span_engine_first(const struct span_engine *engine);
uint64_t span_engine_last(const struct span_engine *engine);
uint64_t span_engine_lost(const struct span_engine *engine); /* samples */
/* Each writes bytes as they are, always terminated, and returns the length. */
size_t span_engine_group(const struct span_engine *engine, uint32_t span, uint64_t group,
			 char *text, size_t size);
size_t span_engine_key(const struct span_engine *engine, const struct span_seen *seen, char *text,
		       size_t size);
/* What groups of the span are called: "opcode", "call", "file". */
const char *span_engine_group_name(const struct span_engine *engine, uint32_t span);
/* The thread's name, and the name of the file that the span is about; lent for the life of the engine, "" if not known. */
const char *span_engine_comm(const struct span_engine *engine, const struct span_seen *seen);
const char *span_engine_about(const struct span_engine *engine, const struct span_seen *seen);
