/* engine_call: the call chains of system calls, for spans of the model; see engine_call.c. */
#pragma once

#include <iotrace/map.h>
#include <stdbool.h>

struct event;
struct span_engine;
struct call_thread;

struct engine_calls {
	bool is_wanted;
	struct call_thread *thread;
	uint32_t threads, cap;
	struct map by_tid;
};

/* Adds the tracepoints of calls to those that the engine needs. */
void engine_use_call_stacks(struct span_engine *engine);
/* A call of the event's thread has begun. */
void engine_add_call(struct span_engine *engine, const struct event *event);
/* Returns the stack of the thread's call that lasted from `enter` to `leave`; 0: unknown. Calls of a thread come in order of time. */
uint32_t engine_call_stack(struct span_engine *engine, uint32_t tid, uint64_t enter,
			   uint64_t leave);
void engine_calls_release(struct engine_calls *calls);
