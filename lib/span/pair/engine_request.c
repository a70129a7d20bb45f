/*
 * engine_request: the call chains of block requests.
 *
 * The records of a request have no call chain. So the tracepoints that may begin it are recorded, too, and their samples have one:
 * a request is inserted or issued, and a bio queued, by the task that submits it. Sample and record have the same place on the
 * device and nearly the same time. Either may come first.
 */
#include "engine_request.h"

#include "engine.h"
#include "stacks.h"

#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum { SECTOR = 512, MINOR_BITS = 20 };

/* Both times are taken in the kernel's functions of one tracepoint. */
static const uint64_t apart_most = 20000;

static uint32_t add_event(struct span_engine *engine, const char *text)
{
	size_t name = strcspn(text, "=");
	uint32_t i = 0;

	while (i < engine->events.count && strncmp(engine->events.item[i], text, name) != 0)
		i++;
	if (i < engine->events.count)
		return i + 1;
	text_list_add(&engine->events, mem_strdup(text));
	engine->event = mem_resize(engine->event, (i + 1) * sizeof(*engine->event));
	engine->event[i] = (struct engine_event){0};
	return i + 1;
}

void engine_use_request_stacks(struct span_engine *engine)
{
	const char *text;

	for (uint32_t i = 0; (text = span_request_event(i)); i++)
		engine->requests.event[i] = add_event(engine, text);
	engine->requests.place = mem_array(REQUEST_PLACES, sizeof(*engine->requests.place));
}

const char *span_request_event(uint32_t index)
{
	static const char *const text[REQUEST_EVENTS] = {
		"block:block_rq_insert=dev,sector",
		"block:block_rq_issue=dev,sector",
		"block:block_bio_queue=dev,sector",
	};

	return index < REQUEST_EVENTS ? text[index] : NULL;
}

/* Where two places meet in one element, the later one has it. A request that is inserted and then issued has two. */
static struct request_place *place_of(struct engine_requests *requests, uint32_t kind, uint32_t dev,
				      uint64_t sector)
{
	uint64_t hash = (sector * REQUEST_EVENTS + kind) * UINT64_C(0x9e3779b97f4a7c15) ^
			dev * UINT64_C(0xc2b2ae3d27d4eb4f);
	struct request_place *place = &requests->place[hash >> 32 & (REQUEST_PLACES - 1)];

	if (place->dev != dev || place->sector != sector || place->kind != kind)
		*place = (struct request_place){.dev = dev, .sector = sector, .kind = kind};
	return place;
}

static bool are_together(uint64_t a, uint64_t b)
{
	return a > b ? a - b <= apart_most : b - a <= apart_most;
}

/* Returns REQUEST_EVENTS if the event is none of them. */
static uint32_t kind_of(const struct engine_requests *requests, const struct event *event)
{
	uint32_t kind = 0;

	while (kind < REQUEST_EVENTS && requests->event[kind] != event->tracepoint.event + 1)
		kind++;
	return kind;
}

static uint64_t number_of(const struct decode_event *fields, const struct event *event,
			  const char *name)
{
	for (uint32_t i = 0; i < fields->numbers; i++)
		if (!strcmp(fields->number[i], name))
			return event->tracepoint.number[i];
	return 0;
}

static void give(struct span_engine *engine, uint64_t op, uint32_t stack)
{
	const uint64_t key[SPAN_KEYS] = {op};

	for (uint32_t i = 0; i < engine->spans; i++) {
		uint32_t slot = span_is_of_requests(engine->span[i].span)
					? open_find(&engine->open, i, key)
					: OPEN_NONE;

		if (slot != OPEN_NONE)
			engine->open.at[slot].stack = stack;
	}
}

void engine_add_request(struct span_engine *engine, const struct event *event)
{
	const struct decode_event *fields = engine->event[event->tracepoint.event].fields;
	uint32_t kind = kind_of(&engine->requests, event), stack;
	struct request_place *place;
	uint64_t number;

	if (kind == REQUEST_EVENTS || !fields)
		return;
	stack = stacks_add(engine->stacks, event, false);
	number = number_of(fields, event, "dev");
	place = place_of(&engine->requests, kind,
			 (uint32_t)makedev(number >> MINOR_BITS, number & ((1U << MINOR_BITS) - 1)),
			 number_of(fields, event, "sector"));
	if (place->op && are_together(place->time, event->time))
		give(engine, place->op, stack);
	place->op = 0;
	place->time = event->time;
	place->stack = stack;
}

static uint32_t dev_of(const struct span_engine *engine, const struct io_event *event)
{
	uint32_t process = trace_thread(engine->trace, event->thread)->process;

	return trace_device(engine->trace, trace_process(engine->trace, process)->device)->dev;
}

uint32_t engine_request_stack(struct span_engine *engine, const struct io_event *event)
{
	struct engine_requests *requests = &engine->requests;
	uint32_t dev;

	if (!requests->place || event->op.offset == IO_OFFSET_UNKNOWN)
		return 0;
	dev = dev_of(engine, event);
	for (uint32_t kind = 0; kind < REQUEST_EVENTS; kind++) {
		struct request_place *place = place_of(requests, kind, dev,
						       event->op.offset / SECTOR);

		if (place->stack && are_together(place->time, event->time))
			return place->stack;
	}
	for (uint32_t kind = 0; kind < REQUEST_EVENTS; kind++) {
		struct request_place *place = place_of(requests, kind, dev,
						       event->op.offset / SECTOR);

		place->op = event->op.id;
		place->time = event->time;
		place->stack = 0;
	}
	return 0;
}

void engine_requests_release(struct engine_requests *requests)
{
	free(requests->place);
}
