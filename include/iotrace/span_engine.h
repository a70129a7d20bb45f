/*
 * span_engine: finds spans in events. It pairs begins and ends, and counts those without a partner.
 *
 * It queries nothing: all information comes through span_engine_event() and span_engine_io_event(). It passes each span with its
 * fate to one function. These are the fates of all begun spans:
 *
 * begun = ended + cancelled + died + left + open + begun_again + lost.
 */
#pragma once

#include <iotrace/decode.h>
#include <iotrace/io_event.h>
#include <iotrace/span_seen.h>

struct span_engine;
struct trace;

/* How spans are grouped. */
enum span_by {
	SPAN_BY_GROUP, /* by the group of the definition */
	SPAN_BY_NONE,
	SPAN_BY_PROCESS,
	SPAN_BY_THREAD,
	SPAN_BY_FILE,
	SPAN_BY_CALL,
	SPAN_BY_MODE, /* read, write, ...: the operation */
	SPAN_BY_DEVICE,
	SPAN_BY_USER,   /* that it began for; only the kernel knows it */
	SPAN_BY_CGROUP, /* of the thread when it began; the same */
	SPAN_BY_FS,     /* by the mount of the file */
	SPAN_BY_CONNECTION, /* by the first field of the key, a FUSE connection, and the group: map_key() */
	SPAN_BYS
};

/* The spans are lent for the life of the engine; `trace` has the definitions of the io_events. */
struct span_engine *span_engine_new(const struct span *const *span, uint32_t spans,
				    const struct trace *trace, const struct span_output *output);
void span_engine_free(struct span_engine *engine);
/* Returns 0, or -EINVAL with a message that lists the possible groups. Call it before the first event. */
int span_engine_group_by(struct span_engine *engine, const char *word, struct error *err);
/* The recording follows only some tasks, but has some events of all: spans of tracepoints count only for the followed tasks. */
void span_engine_choose_tasks(struct span_engine *engine);
/* Spans of calls are only those of calls of these groups: bits of enum call_group. */
void span_engine_choose_calls(struct span_engine *engine, uint32_t groups);
/* The names of threads that have ended are kept: groups are printed after the events that they are of. */
void span_engine_keep_names(struct span_engine *engine);
/* Spans get the stack of their first event, or of the call that made them. Call it before span_engine_events(). */
void span_engine_use_stacks(struct span_engine *engine);
/* Returns a tracepoint that has the stacks of block requests, with its fields; NULL after the last. */
const char *span_request_event(uint32_t index);
/* Needed for stacks: a process has mapped a file. */
void span_engine_mapping(struct span_engine *engine, const struct decode_mapping *mapping);
/* An address in a program. */
struct span_frame {
	uint64_t offset; /* offset in the file; without a file, or in the kernel: the address */
	str_id file;     /* see span_engine_file(); 0: none */
	bool is_kernel;
	bool is_return; /* it is a return address */
};
/* Returns frame `index` of a stack, from 0, the innermost first; NULL after the last. Lent until the next event. */
const struct span_frame *span_engine_frame(const struct span_engine *engine, uint32_t stack,
					   uint32_t index);
const char *span_engine_file(const struct span_engine *engine, const struct span_frame *frame);
/* Returns the tracepoints that the engine needs, for decode_want(). Lent; complete after span_engine_new(). */
const struct text_list *span_engine_events(const struct span_engine *engine);
/* Defines the fields of one of them, before its first event. `fields` is lent for the life of the engine. */
bool span_engine_is_defined(const struct span_engine *engine, uint32_t event);
void span_engine_define(struct span_engine *engine, uint32_t event,
			const struct decode_event *fields);
/* Processes an event of span_engine_events(): tracepoint.event is its index there. */
void span_engine_tracepoint(struct span_engine *engine, const struct event *event);
/* Processes any other event, for information about tasks and losses. */
void span_engine_event(struct span_engine *engine, const struct event *event);
void span_engine_io_event(struct span_engine *engine, const struct io_event *event);
/*
 * Adds what the kernel has counted for a span between `first` and `last`; and an open span that the kernel has seen. Call both
 * before span_engine_end().
 */
void span_engine_count(struct span_engine *engine, uint32_t span, const struct span_books *books,
		       uint64_t first, uint64_t last);
void span_engine_adopt(struct span_engine *engine, const struct span_seen *begun);
/*
 * The kernel counts the span. So if it is one of the model, its groups are the kernel's numbers of processes, threads and devices, and
 * those of span_engine_text().
 */
void span_engine_use_counted(struct span_engine *engine, uint32_t span);
/* The stream has ended: open spans stay open. */
void span_engine_end(struct span_engine *engine);
/*
 * Calls back with each span that is open at this time, unless its process has ended. `now` may be long after the last event.
 * Counters and spans do not change.
 */
void span_engine_look(const struct span_engine *engine, uint64_t now,
		      void (*call)(void *context, const struct span_seen *seen), void *context);

const struct span_books *span_engine_books(const struct span_engine *engine, uint32_t span);
/* Returns why the span cannot be found in this stream ("tracepoint a:b has no field 'c'"), or NULL. */
const char *span_engine_trouble(const struct span_engine *engine, uint32_t span);
/* Return the times of the first and the last event; 0: none. */
uint64_t span_engine_first(const struct span_engine *engine);
uint64_t span_engine_last(const struct span_engine *engine);
uint64_t span_engine_lost(const struct span_engine *engine); /* number of lost samples */
/* Each writes unescaped bytes, always terminated, and returns the length. */
size_t span_engine_group(const struct span_engine *engine, uint32_t span, uint64_t group,
			 char *text, size_t size);
size_t span_engine_key(const struct span_engine *engine, const struct span_seen *seen, char *text,
		       size_t size);
/* Returns whether the group of a span is known only when it ends. */
bool span_engine_is_group_of_end(const struct span_engine *engine, uint32_t span);
/* Returns a field of the key if it is a text, or NULL. */
const char *span_engine_key_text(const struct span_engine *engine, const struct span_seen *seen,
				 uint32_t key);
/* Returns the title of the span's groups: "opcode", "call", "file". */
const char *span_engine_group_name(const struct span_engine *engine, uint32_t span);
/* Sets the name of a thread if it is unknown. */
void span_engine_name_thread(struct span_engine *engine, uint32_t tid, const char *name);
/* Returns the number of a text, for groups that are texts. */
str_id span_engine_text(struct span_engine *engine, const char *text);
/* The kernel has counted the span, and a field of its events chooses between lists of names for its groups: decode_choose(). */
void span_engine_choose_names(struct span_engine *engine, uint32_t span, uint64_t chooser);
/* Sets the name of a user. */
void span_engine_name_user(struct span_engine *engine, uint32_t uid, const char *name);
/* Returns the current name of a thread, for `comm` of a span of tracepoints; 0: unknown. */
str_id span_engine_thread(const struct span_engine *engine, uint32_t tid);
/* Returns the thread's name, and the name of the file that the span is about; lent for the life of the engine, "" if unknown. */
const char *span_engine_comm(const struct span_engine *engine, const struct span_seen *seen);
const char *span_engine_about(const struct span_engine *engine, const struct span_seen *seen);
