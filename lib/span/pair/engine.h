/*
 * engine: what the parts of the span engine share.
 */
#pragma once

#include "engine_call.h"
#include "engine_entry.h"
#include "engine_group.h"
#include "engine_request.h"
#include "open.h"

#include <iotrace/arch.h>
#include <iotrace/span_engine.h>
#include <iotrace/trace.h>

enum { ENGINE_DEPTH = 16, ENGINE_NOTE = 160 };

/* Where an event has a field of a definition. */
enum locator_at { AT_NOTHING, AT_NUMBER, AT_STRING, AT_PID, AT_TID, AT_CPU, AT_COMM, AT_ENTRY };
struct locator {
	enum locator_at at;
	uint32_t index;
	bool is_signed;
};

/* The role of a tracepoint in a span. */
struct engine_use {
	uint32_t span;
	enum span_side side;
	const struct span_point *point;
	bool is_entry, is_of_all_calls; /* is_entry: it only provides fields for the point */
	uint32_t entry;                 /* index of the point's entry */
	struct entry_names names;
	struct locator entry_field[ENTRY_FIELDS]; /* fields of the entry */
	struct locator key[SPAN_KEYS], test[SPAN_TESTS], group, size, result;
};

/* A tracepoint that the engine needs. */
struct engine_event {
	const struct decode_event *fields; /* NULL: its format has not arrived */
	struct engine_use *use;
	uint32_t uses, cap;
	bool is_call; /* its samples have the stacks of calls */
};

enum { IO_MODES = 3 };

struct engine_span {
	const struct span *span;
	struct span_books books;
	enum span_by by;
	enum group_kind kind;
	bool is_group_of_end, is_size_of_end, is_text_key[SPAN_KEYS];
	const struct decode_event *group_fields; /* has the names of numbers */
	uint32_t group_index;
	char *trouble;
};

/* A call in flight of a thread. */
struct engine_frame {
	region_id region;
	uint64_t enter, bytes, read, written;
	str_id name;      /* the file or directory that it acts on, in the trace's strings */
	file_id file;     /* the same, or ID_NONE */
	bool is_nameless; /* it acts on a file that no path is known of */
	bool is_cut;
	enum io_end end;
	uint64_t mode;
};

struct stacks;

struct engine_thread {
	struct engine_frame frame[ENGINE_DEPTH];
	uint32_t depth;
};

struct span_engine {
	struct engine_span *span;
	uint32_t spans;
	const struct trace *trace;
	struct span_output output;
	struct open_spans open;
	struct entries entries;
	const uint64_t *entry; /* the fields of the entry of the current event */
	struct strtab *strings;
	struct text_list events;
	struct engine_event *event; /* one for each event */
	struct engine_thread **thread;
	uint32_t threads, threads_cap;
	struct stacks *stacks; /* NULL: not wanted */
	struct engine_calls calls;
	struct engine_requests requests;
	struct map comm;         /* maps a tid to a name */
	struct map user, cgroup; /* the same for numbers of users and ids of control groups */
	struct map chosen, status,
		foreign;      /* a pid: is followed; wait status; runs a 32-bit program */
	bool keeps_names;     /* also of threads that have ended */
	uint32_t call_groups; /* bits of enum call_group: spans are those of these calls; 0: all */
	const struct arch *arch; /* see engine_arch(), of the machine with this name */
	str_id machine;
	bool chooses, takes_io_events, has_sources[SPAN_OF_ARCHIVE + 1];
	uint64_t first, last, lost;
};

/* Begins a span; it is copied into a slot. If its begin is ENGINE_BEGINS_LATER, it is told to the output later. */
#define ENGINE_BEGINS_LATER UINT64_MAX
void engine_begin(struct span_engine *engine, const struct open_span *span);
void engine_tell_begun(struct span_engine *engine, uint32_t slot);
/* Ends the span with this key, with its fate. Returns false, and counts it, if there is none. */
bool engine_end(struct span_engine *engine, uint32_t span, const uint64_t *key, enum span_fate fate,
		uint64_t time, uint64_t bytes);
/* Ends a span that will not end by itself any more. */
void engine_give_up(struct span_engine *engine, uint32_t slot, enum span_fate fate, uint64_t time);
/* Counts a span that begins and ends at once, without a slot. */
void engine_whole(struct span_engine *engine, const struct open_span *span, enum span_fate fate,
		  uint64_t time);
/*
 * The process of the span has ended. The span stays open, because another process may end it. If none does, the fate depends on
 * how the process ended.
 */
void engine_leave(struct span_engine *engine, uint32_t slot, uint64_t time);

/* Returns the architecture of the recorded machine, or of this one if the capture does not say it; NULL: its calls are unknown. */
const struct arch *engine_arch(const struct span_engine *engine);
/* Returns the name of a thread; 0: unknown. */
str_id engine_comm(const struct span_engine *engine, uint32_t tid);
void engine_note(struct span_engine *engine, uint32_t tid, uint64_t time, const char *text);
/* The first and the last time that the engine has seen. 0 is none. */
void engine_see_time(struct span_engine *engine, uint64_t time);
/* Returns the value of a field (the id of a string), and whether the event has it. */
bool engine_field(struct span_engine *engine, const struct locator *locator,
		  const struct event *event, uint64_t *value);
bool engine_passes(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event);
/* A function begins: keeps the fields of its entry until it returns. */
void engine_enter(struct span_engine *engine, const struct engine_use *use,
		  const struct event *event);
/* Updates the mappings of tasks that begin, execute or end. */
void engine_follow_stacks(struct span_engine *engine, const struct event *event);
/* An event of a span that the archive says itself. Returns whether it is one. */
bool engine_take_recorded(struct span_engine *engine, const struct io_event *event);
/* Says which spans the archive lacks. */
void engine_check_recorded(struct span_engine *engine);
enum span_fate engine_fate_of(enum io_end end);
/* A span of the task of the event's location. */
struct open_span engine_open_of(const struct span_engine *engine, uint32_t span,
				const struct io_event *event, uint64_t key);
/* Sets the type of groups for a span of the model. Returns false if it cannot be grouped in this way. */
bool engine_io_group(struct engine_span *span, enum span_by by);
