/* engine_request: the call chains of block requests; see engine_request.c. */
#pragma once

#include <iotrace/map.h>

struct event;
struct io_event;
struct span_engine;

enum { REQUEST_EVENTS = 3, REQUEST_PLACES = 1 << 12 };

/* Where an event of one kind happened. */
struct request_place {
	uint64_t sector, time;
	uint64_t op; /* an operation that has begun here and waits for its stack; 0: none */
	uint32_t dev, kind, stack;
};

struct engine_requests {
	uint32_t event
		[REQUEST_EVENTS]; /* indices of tracepoints in engine->events, plus 1; 0: not wanted */
	struct request_place *place;
};

/* Adds the tracepoints of begins of requests to those that the engine needs. */
void engine_use_request_stacks(struct span_engine *engine);
/* If the event is one of them, keeps its stack, or gives it to the request that has begun there. */
void engine_add_request(struct span_engine *engine, const struct event *event);
/* Returns the stack of a request that begins on a device; 0: it is not known, or may still come. */
uint32_t engine_request_stack(struct span_engine *engine, const struct io_event *event);
void engine_requests_release(struct engine_requests *requests);
