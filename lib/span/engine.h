/*
 * engine: what the parts of the span engine share.
 */
#pragma once

#include "engine_entry.h"
#include "open.h"

#include <iotrace/span_engine.h>
#include <iotrace/trace.h>

enum { ENGINE_DEPTH = 16, ENGINE_NOTE = 160 };

/* Where a field of a definition is found in an event. */
enum locator_at { AT_NOTHING, AT_NUMBER, AT_STRING, AT_PID, AT_TID, AT_CPU, AT_COMM, AT_ENTRY };
struct locator {
	enum locator_at at;
	uint32_t index;
	bool is_signed;
};

/* What a tracepoint is for a span. */
struct engine_use {
	uint32_t span;
	enum span_side side;
	const struct span_point *point;
	bool is_entry;  /* it only says what the point will lack */
	uint32_t entry; /* number of the point's entry */
	struct entry_names names;
	struct locator entry_field[ENTRY_FIELDS]; /* of an entry */
	struct locator key[SPAN_KEYS], test[SPAN_TESTS], group, size;
};

/* A tracepoint that is wanted. */
struct engine_event {
	const struct decode_event *fields; /* NULL: nobody has said where they are */
	struct engine_use *use;
	uint32_t uses, cap;
};

/* What the groups of a span are. */
enum group_kind {
	GROUP_IS_NOTHING,
	GROUP_IS_NUMBER,
	GROUP_IS_SIGNED,
	GROUP_IS_HEX,
	GROUP_IS_TEXT,       /* of engine->strings */
	GROUP_IS_TRACE_TEXT, /* of the trace's strings */
	GROUP_IS_PROCESS,    /* a process_id */
	GROUP_IS_THREAD,     /* a thread_id */
	GROUP_IS_PID,
	GROUP_IS_TID,
	GROUP_IS_MODE,    /* enum io_mode, and IO_MODES + enum request_kind */
	GROUP_IS_REQUEST, /* a device, and enum request_kind: map_key() */
	GROUP_IS_DEVICE,
	GROUP_IS_OWNER, /* of a request: a pid, and a name of the trace's: map_key() */
};

enum { IO_MODES = 3 };

struct engine_span {
	const struct span *span;
	struct span_books books;
	enum span_by by;
	enum group_kind kind;
	bool is_group_of_end, is_size_of_end, is_text_key[SPAN_KEYS];
	const struct decode_event *group_fields; /* for the names of its numbers */
	uint32_t group_index;
	char *trouble;
};

/* A call that a thread is in. */
struct engine_frame {
	region_id region;
	uint64_t enter, bytes;
	str_id name; /* of what it acts on; of the trace's strings */
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
	const uint64_t *entry; /* the fields of the entry of the event that is looked at */
	struct strtab *strings;
	struct text_list events;
	struct engine_event *event; /* as many as there are events */
	struct engine_thread **thread;
	uint32_t threads, threads_cap;
	struct stacks *stacks;     /* NULL: not wanted */
	struct map comm;           /* by tid */
	struct map chosen, status; /* by pid: those that are followed; wait statuses */
	bool chooses, has_model_spans, has_sources[SPAN_OF_DESCRIPTORS + 1];
	uint64_t first, last, lost;
};

/* Begins a span; the slot is a copy. */
void engine_begin(struct span_engine *engine, const struct open_span *span);
/* Ends the span with this key, with its fate. Returns whether there was one; else it is counted. */
bool engine_end(struct span_engine *engine, uint32_t span, const uint64_t *key, enum span_fate fate,
		uint64_t time, uint64_t bytes);
/* What has begun and will not end any more. */
void engine_give_up(struct span_engine *engine, uint32_t slot, enum span_fate fate, uint64_t time);
/* One that needed no slot: begun and ended at once. */
void engine_whole(struct span_engine *engine, const struct open_span *span, enum span_fate fate,
		  uint64_t time);
/*
 * Its process ended. It stays open, since it may end elsewhere; if it does not, how the process ended says what became of it.
 */
void engine_leave(struct span_engine *engine, uint32_t slot, uint64_t time);

/* Returns the name of a thread; 0: not known. */
str_id engine_comm(const struct span_engine *engine, uint32_t tid);
void engine_note(struct span_engine *engine, uint32_t tid, uint64_t time, const char *text);
/* Returns the value of a field, and whether it has one; of a string the id. */
bool engine_field(struct span_engine *engine, const struct locator *locator,
		  const struct event *event, uint64_t *value);
bool engine_passes(struct span_engine *engine, const struct engine_use *use,
		   const struct event *event);
/* The entry of a function: keeps its fields until it returns. */
void engine_enter(struct span_engine *engine, const struct engine_use *use,
		  const struct event *event);
/* What happens to tasks happens to what they have mapped. */
void engine_follow_stacks(struct span_engine *engine, const struct event *event);
/* Block requests that were never issued have no service. */
void engine_drop_unissued(struct span_engine *engine);
/* Sets what groups of a span of the model are. Returns whether it can be grouped so. */
bool engine_io_group(struct engine_span *span, enum span_by by);
